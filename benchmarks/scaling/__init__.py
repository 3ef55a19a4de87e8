"""How training grows: with the model, with the batch, with several processes; and what larger runs would take.

measure.py   trainings and sums over processes, timed on this machine, and their memory
fit.py       a model of time, memory and communication with few numbers, fitted to them
forecast.py  the same model with the numbers of other machines, which are assumptions, and runs that are known
report.py    the tables, which docs/*/scaling.md shows
"""
