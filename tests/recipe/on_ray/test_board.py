"""What workers and command tell each other."""

from polyhead.recipe.on_ray.board import Board, News


def test_nothing_has_happened_yet():
    assert Board().news() == News([], 0, False, None, None)


def test_what_was_said_is_given_once_and_in_order():
    board = Board()
    board.say("one")
    board.say("two\nthree")
    assert board.news().said == ["one", "two\nthree"]
    board.say("four")
    assert board.news().said == ["four"]
    assert board.news().said == []


def test_starts_are_counted_and_what_has_begun_stays_so():
    board = Board()
    assert (board.start(), board.has_begun(), board.has_kept()) == (1, False, False)
    board.begin()
    board.keep()
    assert (board.start(), board.has_begun(), board.has_kept()) == (2, True, True)
    assert (board.news().starts, board.news().begun) == (2, True)


def test_the_first_reason_counts():
    board, first = Board(), ValueError("first")
    assert not board.is_refused()
    board.refuse(first)
    board.refuse(ValueError("second"))
    assert board.is_refused()
    assert board.news().refusal is first


def test_the_wish_to_stop_and_the_end_are_handed_on():
    board = Board()
    assert not board.is_to_stop()
    board.stop()
    board.end(False)
    assert board.is_to_stop()
    assert board.news().finished is False
