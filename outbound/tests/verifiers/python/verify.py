"""Verifies deliveries with Stripe's library.

Reads the cases as JSON from standard input and writes one result per case: "ok" or the error message.
"""

import json
import sys

import stripe


def verify(case):
    try:
        stripe.Webhook.construct_event(case["body"], case["header"], case["secret"])
        return "ok"
    except stripe.SignatureVerificationError as error:
        return str(error)


print(json.dumps([verify(case) for case in json.load(sys.stdin)]))
