// A goroutine per connection that looks for the ends of heads, and answers each with a constant. It does not parse; only the
// work of /cpu is told apart, by the path in the first line.
package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"
)

const headMax = 16 << 10

var (
	headEnd = []byte("\r\n\r\n")
	hello   = answer("hello world")
)

func main() {
	listener, err := net.Listen("tcp", net.JoinHostPort(setting("HOST", "127.0.0.1"), setting("PORT", "8080")))
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil { // such as too many open files
			log.Print(err)
			time.Sleep(10 * time.Millisecond)
			continue
		}
		go serve(connection.(*net.TCPConn))
	}
}

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func answer(body string) []byte {
	return []byte(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
}

// serve answers all heads that a read completes by one write.
func serve(connection *net.TCPConn) {
	defer connection.Close()
	buffer := make([]byte, headMax)
	filled := 0
	var answers []byte
	for filled < headMax {
		n, readError := connection.Read(buffer[filled:])
		rest := buffer[:filled+n]
		answers = answers[:0]
		for {
			head, after, whole := bytes.Cut(rest, headEnd)
			if !whole {
				break
			}
			if isCPU(head) {
				answers = append(answers, cpu()...)
			} else {
				answers = append(answers, hello...)
			}
			rest = after
		}
		if len(answers) > 0 {
			if _, err := connection.Write(answers); err != nil {
				return
			}
		}
		if readError != nil {
			return
		}
		filled = copy(buffer, rest)
	}

	// A head without an end. What still comes is read and dropped, lest a reset overtake the answers before it.
	connection.CloseWrite()
	connection.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, connection)
}

// isCPU says whether the first line asks for the path /cpu.
func isCPU(head []byte) bool {
	line, _, _ := bytes.Cut(head, []byte("\r\n"))
	_, target, _ := bytes.Cut(line, []byte(" "))
	return bytes.HasPrefix(target, []byte("/cpu ")) || bytes.HasPrefix(target, []byte("/cpu?"))
}

func cpu() []byte {
	hash := []byte("orchestrate")
	for i := 0; i < 1000; i++ {
		sum := sha256.Sum256(hash)
		hash = sum[:]
	}
	return answer(fmt.Sprintf("%x", hash))
}
