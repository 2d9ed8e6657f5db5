// The workloads of targets/README.md on fasthttp.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/valyala/fasthttp"
)

func main() {
	script, err := os.ReadFile(filepath.Join(os.Getenv("ASSETS"), "one-file.js"))
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080")))
	if err != nil {
		log.Fatal(err)
	}

	handler := func(ctx *fasthttp.RequestCtx) {
		isGet := ctx.IsGet() || ctx.IsHead()
		path := string(ctx.URI().PathOriginal()) // as it was sent: Path would take `//` for `/`
		switch {
		case !bytes.HasPrefix(ctx.Request.Header.Protocol(), []byte("HTTP/1.")): // which fasthttp leaves to us
			ctx.Error("not HTTP/1\n", fasthttp.StatusBadRequest)
			ctx.SetConnectionClose()
		case path == "/" && isGet:
			hello(ctx)
		case path == "/file" && isGet:
			ctx.SetContentType("text/javascript")
			ctx.Response.SetBodyRaw(script)
		case path == "/wait" && isGet:
			time.Sleep(10 * time.Millisecond)
			hello(ctx)
		case path == "/cpu" && isGet:
			cpu(ctx)
		case path == "/json" && ctx.IsPost():
			increment(ctx)
		default:
			ctx.Error("not found\n", fasthttp.StatusNotFound)
		}
	}
	server := &fasthttp.Server{Handler: handler, MaxRequestBodySize: 1 << 20}
	log.Fatal(server.Serve(listener))
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func hello(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/plain")
	ctx.SetBodyString("hello world")
}

func cpu(ctx *fasthttp.RequestCtx) {
	hash := []byte("orchestrate")
	for i := 0; i < 1000; i++ {
		sum := sha256.Sum256(hash)
		hash = sum[:]
	}
	ctx.SetContentType("text/plain")
	ctx.SetBodyString(hex.EncodeToString(hash))
}

func increment(ctx *fasthttp.RequestCtx) {
	var object map[string]any
	err := json.Unmarshal(ctx.PostBody(), &object)
	n, isNumber := object["n"].(float64)
	if err != nil || !isNumber {
		ctx.Error("expected a JSON object with a number n\n", fasthttp.StatusBadRequest)
		return
	}
	object["n"] = n + 1
	body, err := json.Marshal(object)
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.Response.SetBodyRaw(body)
}
