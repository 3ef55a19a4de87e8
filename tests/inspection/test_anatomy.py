"""Every attention of every kind of model has its name."""

from polyhead.inspection.anatomy import attentions, feed_forwards
from polyhead.inspection.names import SITES


def test_no_attention_is_missed(translator_of, kind):
    model = translator_of(kind).bundle.model
    places = attentions(model)
    assert {id(place.module) for place in places} == {
        id(module) for module in model.modules() if hasattr(module, "core") and not hasattr(module, "alignment_site")
    }
    assert len({(place.site, place.layer) for place in places}) == len(places)
    assert {place.site for place in places} <= set(SITES)


def test_layers_are_counted_site_by_site(translator_of, transformer):
    model = translator_of(transformer).bundle.model
    named = {id(module): name for name, module in model.named_modules()}
    kinds = {"encoder.self": "self", "decoder.self": "self", "decoder.cross": "cross"}
    for place in attentions(model):
        stack = place.site.partition(".")[0]
        assert named[id(place.module)] == f"{stack}.layers.{place.layer}.{kinds[place.site]}_attention"
        assert named[id(place.sublayer)] == f"{named[id(place.module)]}_sublayer"
        assert place.heads == 4
    for network in feed_forwards(model):
        assert named[id(network.module)] == f"{network.stack}.layers.{network.layer}.feed_forward"
        assert named[id(network.sublayer)] == f"{named[id(network.module)]}_sublayer"
