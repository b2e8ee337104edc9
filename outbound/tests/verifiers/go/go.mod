module verify

go 1.22

require github.com/stripe/stripe-go/v82 v82.5.1
