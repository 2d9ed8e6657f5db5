// The workloads of targets/README.md on net/http, with a handler of its own: the mux of the standard library would answer a
// path such as `//` by a redirect.
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
	"path/filepath"
	"strconv"
	"time"
)

const bodyMax = 1 << 20

func main() {
	script, err := os.ReadFile(filepath.Join(os.Getenv("ASSETS"), "one-file.js"))
	if err != nil {
		log.Fatal(err)
	}
	file := func(w http.ResponseWriter, _ *http.Request) {
		send(w, "text/javascript", script)
	}

	handler := func(w http.ResponseWriter, r *http.Request) {
		isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch {
		case r.URL.Path == "/" && isGet:
			hello(w, r)
		case r.URL.Path == "/file" && isGet:
			file(w, r)
		case r.URL.Path == "/wait" && isGet:
			wait(w, r)
		case r.URL.Path == "/cpu" && isGet:
			cpu(w, r)
		case r.URL.Path == "/json" && r.Method == http.MethodPost:
			increment(w, r)
		default:
			http.NotFound(w, r)
		}
	}
	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080"))
	log.Fatal(http.ListenAndServe(address, http.HandlerFunc(handler)))
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func send(w http.ResponseWriter, contentType string, body []byte) {
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
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
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, bodyMax))
	if err != nil {
		http.Error(w, "too large or broken off", http.StatusRequestEntityTooLarge)
		return
	}
	var object map[string]any
	err = json.Unmarshal(body, &object)
	n, isNumber := object["n"].(float64)
	if err != nil || !isNumber {
		http.Error(w, "expected a JSON object with a number n", http.StatusBadRequest)
		return
	}
	object["n"] = n + 1
	body, err = json.Marshal(object)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	send(w, "application/json", body)
}
