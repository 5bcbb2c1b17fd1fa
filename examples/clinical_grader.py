"""The naive grader with a clinical rubric: no payload moves it, and it is just as broken.

A clean scan says that these payloads do not move this grader. Anyone who knows the
rubric still gets full marks by listing its eight terms.

    unbudged run examples/clinical_grader.py
"""

from naive_grader import count_terms

CLINICAL_TERMS = (
    "dosage",
    "allergy",
    "contraindication",
    "renal function",
    "titrate",
    "adverse reaction",
    "prescriber",
    "pharmacist",
)


def target(text: str) -> float:
    return count_terms(text, CLINICAL_TERMS)


baselines = [
    "Take one tablet with water in the morning and come back if the cough lasts.",
    "Before the first dosage, ask the patient about any allergy to penicillin.",
    "Start low and titrate weekly. Check renal function first and tell the pharmacist.",
]
