// As it was published: one byte, and no header field but those that net/http adds by itself.
package main

import (
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("1"))
	})
	log.Fatal(http.ListenAndServe(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), nil))
}
