"""What a run is worth: the report, the error of the answer, the ledger of energy, the momenta that
the model keeps, remedies that were tried.
"""
