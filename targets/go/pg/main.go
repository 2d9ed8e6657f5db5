// Answers /db?id=N with a row of PostgreSQL, as JSON: net/http and pgx, with its pool of connections.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type item struct {
	ID   int32  `json:"id"`
	Name string `json:"name"`
}

func main() {
	pool, err := pgxpool.New(context.Background(), os.Getenv("DATABASE_URL"))
	if err != nil {
		log.Fatal(err)
	}
	address := net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080"))
	log.Fatal(http.ListenAndServe(address, handler{pool}))
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

type handler struct{ pool *pgxpool.Pool }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	isGet := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !isGet || r.URL.Path != "/db" {
		http.NotFound(w, r)
		return
	}
	id, err := strconv.ParseInt(r.URL.Query().Get("id"), 10, 32)
	if err != nil {
		http.Error(w, "expected a number as id", http.StatusBadRequest)
		return
	}
	found := item{ID: int32(id)}
	row := h.pool.QueryRow(r.Context(), "select name from item where id = $1", found.ID)
	switch err := row.Scan(&found.Name); {
	case errors.Is(err, pgx.ErrNoRows):
		http.NotFound(w, r)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		send(w, found)
	}
}

func send(w http.ResponseWriter, found item) {
	body, err := json.Marshal(found)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}
