from docs.korean_search import SearchKorean, beginnings


def test_a_word_is_found_without_its_particle() -> None:
    assert beginnings("번역기를") == ["번역", "번역기", "번역기를"]
    assert beginnings("키") == ["키"]


def test_korean_within_other_letters_and_english_beside_it() -> None:
    words = SearchKorean({}).split("BLEU는 점수입니다, `model.dropout`을")
    assert {"BLEU는", "점수", "점수입니다", "model", "dropout", "을"} <= set(words)


def test_english_words_are_stemmed_as_in_the_english_tree() -> None:
    search = SearchKorean({})
    assert search.stem("recipes") == search.stem("recipe")
    assert search.stem("번역") == "번역"
