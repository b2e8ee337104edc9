"""Verifies deliveries with the stripe library: cases in (JSON), one answer each out ("ok", or why not)."""

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
