// The workload `cpu`, by OpenSSL.

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Writes the hex of the 1,000th SHA-256. The context is made once: OpenSSL looks up the algorithm then, which takes
// longer than one of these short hashes.
void hash(char hex[64]) {
    static EVP_MD_CTX *context;
    unsigned char value[EVP_MAX_MD_SIZE] = "orchestrate";
    unsigned length = strlen("orchestrate");
    const EVP_MD *algorithm = context ? NULL : EVP_sha256(); // NULL: the one that the context has
    if (!context) context = EVP_MD_CTX_new();
    for (int i = 0; i < 1000; i++) {
        if (!EVP_DigestInit_ex(context, algorithm, NULL) || !EVP_DigestUpdate(context, value, length) ||
            !EVP_DigestFinal_ex(context, value, &length)) {
            fputs("OpenSSL computes no SHA-256\n", stderr);
            exit(1);
        }
        algorithm = NULL;
    }
    for (unsigned i = 0; i < 32; i++) {
        hex[2 * i] = "0123456789abcdef"[value[i] >> 4];
        hex[2 * i + 1] = "0123456789abcdef"[value[i] & 15];
    }
}
