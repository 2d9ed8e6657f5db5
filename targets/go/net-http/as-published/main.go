// As it was published: one byte, and no header field but those that net/http adds by itself.
package main

import (
	"log"
	"net"
	"net/http"
	"os"
)

func main() {
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" || r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.NotFound(w, r)
			return
		}
		w.Write([]byte("1"))
	}
	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(handler)))
}
