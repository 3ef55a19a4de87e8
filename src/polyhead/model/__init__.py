"""The models: pure single-device mathematics behind one protocol, `seq2seq.Seq2Seq`."""
