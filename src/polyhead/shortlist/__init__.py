"""A vocabulary shortlist: of V target pieces the few hundred that a sentence's translation may be made of.

`build_shortlist` finds them in parallel text, `Shortlist` holds them for each source piece, and `ShortlistSearch` runs
any search of `decoding/` on a sentence's own pieces in the whole vocabulary's place.
"""
