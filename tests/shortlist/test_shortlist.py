"""What a sentence may be translated with."""


def test_a_sentences_list_is_its_pieces_rows_the_fixed_pieces_and_the_prefix_once_each(make) -> None:
    shortlist = make({3: [8], 5: [9, 7], 6: [7, 11]}, 12)
    assert shortlist.of([5, 6, 5, 3]).tolist() == [0, 1, 2, 3, 7, 8, 9, 11]
    assert shortlist.of([5], prefix=[10, 7]).tolist() == [0, 1, 2, 3, 7, 9, 10]
    assert shortlist.of([4, 11]).tolist() == [0, 1, 2, 3], "pieces that were never seen have nothing"
    assert shortlist.source_vocabulary == 12
