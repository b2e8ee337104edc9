// Verifies deliveries with Stripe's library. Reads the cases as JSON from standard input and writes
// one result per case: "ok" or the error message.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/stripe/stripe-go/v82/webhook"
)

func main() {
	var cases []struct{ Body, Header, Secret string }
	if err := json.NewDecoder(os.Stdin).Decode(&cases); err != nil {
		log.Fatal(err)
	}
	results := []string{}
	for _, c := range cases {
		result := "ok"
		if err := webhook.ValidatePayload([]byte(c.Body), c.Header, c.Secret); err != nil {
			result = err.Error()
		}
		results = append(results, result)
	}
	if err := json.NewEncoder(os.Stdout).Encode(results); err != nil {
		log.Fatal(err)
	}
}
