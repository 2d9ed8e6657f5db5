// The workloads of targets/README.md on net/http, as the standard library's documentation shows it.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const bodyMax = 1 << 20

func main() {
	mux := http.NewServeMux()
	handle(mux, "/", http.MethodGet, hello)
	handle(mux, "/json", http.MethodPost, increment)
	handle(mux, "/wait", http.MethodGet, wait)
	handle(mux, "/cpu", http.MethodGet, cpu)

	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080"))
	log.Fatal(http.ListenAndServe(address, mux))
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

// handle answers this path and method (and HEAD where it is GET), and 404 to whatever else the mux sends here.
func handle(mux *http.ServeMux, path, method string, answer http.HandlerFunc) {
	mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
		isMethod := r.Method == method || method == http.MethodGet && r.Method == http.MethodHead
		if r.URL.Path != path || !isMethod {
			http.NotFound(w, r)
			return
		}
		answer(w, r)
	})
}

func text(w http.ResponseWriter, body string) {
	w.Header().Set("Content-Type", "text/plain")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	io.WriteString(w, body)
}

func hello(w http.ResponseWriter, _ *http.Request) {
	text(w, "hello world")
}

func wait(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(10 * time.Millisecond)
	text(w, "hello world")
}

func cpu(w http.ResponseWriter, _ *http.Request) {
	hash := []byte("orchestrate")
	for i := 0; i < 1000; i++ {
		sum := sha256.Sum256(hash)
		hash = sum[:]
	}
	text(w, hex.EncodeToString(hash))
}

func increment(w http.ResponseWriter, r *http.Request) {
	var object map[string]any
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, bodyMax)).Decode(&object)
	n, isNumber := object["n"].(float64)
	if err != nil || !isNumber {
		http.Error(w, "expected a JSON object with a number n", http.StatusBadRequest)
		return
	}
	object["n"] = n + 1
	body, err := json.Marshal(object)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}
