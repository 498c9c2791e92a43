/* Questions to dodona from another program: JSON in, JSON out, the same bytes that the command prints with
 * --format json. Thread-safe: several questions may be asked at once. See docs/bindings.md. */
#ifndef DODONA_H
#define DODONA_H

#include <stddef.h>

#if defined(__GNUC__)
#define DODONA_API __attribute__((visibility("default")))
#else
#define DODONA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Grows where a function or the meaning of one changes; keys of JSON have a version of their own, "schema". */
#define DODONA_ABI 1

/* How a question ended: the exit codes of the command. */
enum {
    DODONA_ANSWERED = 0,
    DODONA_NO = 1,           /* answered: nothing fits, or a check failed */
    DODONA_BAD_INPUT = 2,    /* the question, or a file that it names */
    DODONA_MISSING = 3,      /* hardware, a library or dodona's own data */
    DODONA_OUR_FAULT = 70,   /* a fault in dodona */
    DODONA_INTERRUPTED = 130 /* by Ctrl-C: what was finished is answered */
};

typedef struct dodona_answer dodona_answer;

/* "0.1.0". */
DODONA_API const char *dodona_version(void);

/* DODONA_ABI of the library that is loaded. */
DODONA_API int dodona_abi(void);

/* Asks. `question` is JSON in UTF-8 of `length` bytes:
 *   {"command": "predict", "arguments": ["resnet50"],
 *    "options": {"machine": "abci", "gpus": 8, "mesh": {"data": 8}, "set": {"image": 256}, "explain": true}}
 * Options have the names of the command's, without dashes at their front; true gives one without a value, false and null
 * leave it out, a list gives one that repeats or values between commas, a mapping NAME=VALUE. Files are relative to the
 * working directory. While it runs, SIGINT stops it. Null only where there is no memory for an answer. */
DODONA_API dodona_answer *dodona_ask(const char *question, size_t length);

/* DODONA_ANSWERED, ... */
DODONA_API int dodona_code(const dodona_answer *answer);

/* The JSON of the answer, with a zero at its end; empty where there is none. `length` may be null. */
DODONA_API const char *dodona_json(const dodona_answer *answer, size_t *length);

/* What is wrong, for people, located in the question or the file; empty where nothing is. */
DODONA_API const char *dodona_message(const dodona_answer *answer, size_t *length);

/* Null is allowed. */
DODONA_API void dodona_free(dodona_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
