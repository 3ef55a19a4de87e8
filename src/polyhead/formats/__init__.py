"""Files that are translated with their form kept: software strings, subtitles, pages and documents.

A format reads a file as a document: its text, and the regions of the text that hold something to translate, each with
its units. A unit is what is translated as one text, with tags as inline codes (`polyhead.inline`). A region writes
itself anew with the translations of its units; whatever lies outside of the regions comes back byte for byte, and so
does a region of a file in one language whose translations equal its text.

`translating` is the way through: recognise the kind, read, translate, write. `kinds` lists the formats and `readers`
what reads each; a new one is a function from text to regions and its line in both. All that is known here of
translating is that it takes texts with codes, and gives back such texts and what is wrong with them: any such function
will do.
"""
