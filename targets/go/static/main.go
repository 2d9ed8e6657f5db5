// Serves the files of a folder below /static/, read from disk on each request.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

var types = map[string]string{
	".jpg":  "image/jpeg",
	".jpeg": "image/jpeg",
	".jpe":  "image/jpeg",
	".jfif": "image/jpeg",
	".png":  "image/png",
	".ico":  "image/x-icon",
	".gif":  "image/gif",
	".tif":  "image/tiff",
	".tiff": "image/tiff",
}

func main() {
	source := flag.String("src", "static", "the `folder` to serve")
	flag.Parse()
	if facts, err := os.Stat(*source); err != nil {
		log.Fatal(err)
	} else if !facts.IsDir() {
		log.Fatal(*source, " is no folder")
	}

	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080"))
	log.Fatal(http.ListenAndServe(address, handler(*source))) // no mux: it would answer `//` by a redirect
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

type handler string

func (source handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	for strings.Contains(name, "//") {
		name = strings.ReplaceAll(name, "//", "/")
	}
	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		http.NotFound(w, r)
	case name == "/favicon.ico":
		w.Header().Set("Content-Type", "image/x-icon")
	case strings.HasPrefix(name+"/", "/static/") && !climbs(name):
		source.file(w, r, strings.TrimPrefix(name, "/static"))
	default:
		http.NotFound(w, r)
	}
}

// climbs says whether some part of the name is `..`, also where `\` is taken for a separator.
func climbs(name string) bool {
	for _, part := range strings.FieldsFunc(name, func(c rune) bool { return c == '/' || c == '\\' }) {
		if part == ".." {
			return true
		}
	}
	return false
}

func (source handler) file(w http.ResponseWriter, r *http.Request, name string) {
	file, err := os.Open(string(source) + filepath.FromSlash(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer file.Close()
	facts, err := file.Stat()
	if err == nil && !facts.Mode().IsRegular() {
		err = fmt.Errorf("%s is no file", path.Base(name))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}

	contentType, isKnown := types[path.Ext(name)]
	if !isKnown {
		contentType = "text/plain"
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.FormatInt(facts.Size(), 10))
	if r.Method == http.MethodGet {
		io.CopyN(w, file, facts.Size())
	}
}
