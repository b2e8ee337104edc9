// Verifies deliveries with the stripe library: cases in (JSON), one answer each out ("ok", or why not).
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
	answers := []string{}
	for _, c := range cases {
		answer := "ok"
		if err := webhook.ValidatePayload([]byte(c.Body), c.Header, c.Secret); err != nil {
			answer = err.Error()
		}
		answers = append(answers, answer)
	}
	if err := json.NewEncoder(os.Stdout).Encode(answers); err != nil {
		log.Fatal(err)
	}
}
