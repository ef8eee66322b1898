/* What is counted comes out, once and in its place. */
#include "server/metrics.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

TEST(meters_add_up)
{
    struct metrics *a = metrics_new(), *b = metrics_new(), *sum = metrics_new();
    struct metrics_state state = {.uptime_s = 2};
    struct buf out = BUF_INIT(1 << 20);
    char *text;

    metrics_count(a, 0, 200, 400, 10, 100);
    metrics_count(b, 0, 204, 1200, 1, 1);
    metrics_count(b, 0, 503, 99000000, 0, 0);
    metrics_count(b, -1, 404, 500, 0, 0);
    metrics_add(sum, a);
    metrics_add(sum, b);
    metrics_write(sum, &state, &out);
    text = buf_text(&out);
#define SAYS(line) YES(strstr(text, "\n" line "\n"))
    SAYS("quire_http_requests_total{operation=\"health\",code=\"2xx\"} 2");
    SAYS("quire_http_requests_total{operation=\"health\",code=\"5xx\"} 1");
    SAYS("quire_http_requests_total{operation=\"none\",code=\"4xx\"} 1");
#define TIME(le, n)                                                           \
    SAYS("quire_http_request_duration_seconds_bucket{operation=\"health\",le" \
         "=\"" le "\"} " n)
    TIME("0.0005", "1");
    TIME("0.001", "1");
    TIME("0.0025", "2");
    TIME("10", "2");
    TIME("+Inf", "3");
    SAYS("quire_http_request_duration_seconds_bucket{operation=\"none\",le="
         "\"0.0005\"} 1");
    SAYS("quire_http_request_duration_seconds_sum{operation=\"health\"} "
         "99.001600");
    SAYS("quire_http_request_bytes_total 11");
    SAYS("quire_http_response_bytes_total 101");
    NO(strstr(text, "\nquire_blobs "));
    NO(strstr(text, "\nquire_collection_last_timestamp_seconds "));
    state.counted_us = state.collected_us = 1500000;
    state.stats.blobs = 3;
    buf_clear(&out);
    metrics_write(sum, &state, &out);
    text = buf_text(&out);
    SAYS("quire_blobs 3");
    SAYS("quire_dedup_ratio 1.000000");
    SAYS("quire_collection_last_timestamp_seconds 1.500");
    buf_release(&out);
    free(a);
    free(b);
    free(sum);
}
