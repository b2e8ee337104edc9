// Verifies deliveries with Stripe's library. Reads the cases as JSON from standard input and writes
// one result per case: "ok" or the error message.

import { readFileSync } from 'node:fs';
import Stripe from 'stripe';

function verify({ body, header, secret }) {
  try {
    Stripe.webhooks.constructEvent(body, header, secret);
    return 'ok';
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) throw error;
    return error.message;
  }
}

console.log(JSON.stringify(JSON.parse(readFileSync(0, 'utf8')).map(verify)));
