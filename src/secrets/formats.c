/* formats.c - see formats.h */
#include "secrets/formats.h"

#include "base/bytes.h"
#include "secrets/chars.h"

/* Of two that fit, the first counts. */
static const struct secret_format formats[] = {
    {"sk-ant-", "anthropic-key", 16, 32, is_word, FORMAT_RANDOM},
    {"sk-proj-", "openai-key", 16, 32, is_word, FORMAT_RANDOM},
    {"sk-svcacct-", "openai-key", 16, 32, is_word, FORMAT_RANDOM},
    {"sk-admin-", "openai-key", 16, 32, is_word, FORMAT_RANDOM},
    {"sk-or-v1-", "openrouter-key", 16, 32, is_hex, FORMAT_RANDOM},
    {"sk-", "api-key", 16, 32, is_word, FORMAT_RANDOM | FORMAT_ALNUM},
    {"sk_live_", "stripe-key", 16, 24, is_word, FORMAT_RANDOM},
    {"sk_test_", "stripe-key", 16, 24, is_word, FORMAT_RANDOM},
    {"rk_live_", "stripe-key", 16, 24, is_word, FORMAT_RANDOM},
    {"rk_test_", "stripe-key", 16, 24, is_word, FORMAT_RANDOM},
    {"whsec_", "webhook-secret", 32, 32, is_token, FORMAT_RANDOM},
    {"ghp_", "github-token", 20, 36, is_alnum, FORMAT_RANDOM},
    {"gho_", "github-token", 20, 36, is_alnum, FORMAT_RANDOM},
    {"ghu_", "github-token", 20, 36, is_alnum, FORMAT_RANDOM},
    {"ghs_", "github-token", 20, 36, is_alnum, FORMAT_RANDOM},
    {"ghr_", "github-token", 20, 36, is_alnum, FORMAT_RANDOM},
    {"github_pat_", "github-token", 16, 40, is_word, FORMAT_RANDOM},
    {"glpat-", "gitlab-token", 16, 20, is_word, FORMAT_RANDOM},
    {"glptt-", "gitlab-token", 16, 20, is_word, FORMAT_RANDOM},
    {"glrt-", "gitlab-token", 16, 20, is_word, FORMAT_RANDOM},
    {"gldt-", "gitlab-token", 16, 20, is_word, FORMAT_RANDOM},
    {"xoxb-", "slack-token", 10, 24, is_word, FORMAT_RANDOM},
    {"xoxp-", "slack-token", 10, 24, is_word, FORMAT_RANDOM},
    {"xoxa-", "slack-token", 10, 24, is_word, FORMAT_RANDOM},
    {"xoxr-", "slack-token", 10, 24, is_word, FORMAT_RANDOM},
    {"xoxs-", "slack-token", 10, 24, is_word, FORMAT_RANDOM},
    {"xapp-1-", "slack-token", 20, 40, is_word, FORMAT_RANDOM},
    {"hooks.slack.com/services/", "slack-webhook", 30, 40, is_path,
     FORMAT_RANDOM},
    {"AKIA", "aws-access-key", 16, 16, is_upper_alnum,
     FORMAT_RANDOM | FORMAT_EXACT},
    {"ASIA", "aws-access-key", 16, 16, is_upper_alnum,
     FORMAT_RANDOM | FORMAT_EXACT},
    {"AIza", "google-key", 30, 35, is_word, FORMAT_RANDOM | FORMAT_EXACT},
    {"GOCSPX-", "google-secret", 28, 28, is_word, FORMAT_RANDOM},
    {"ya29.", "google-token", 20, 40, is_token, FORMAT_RANDOM},
    {"npm_", "npm-token", 30, 36, is_alnum, FORMAT_RANDOM},
    {"hf_", "huggingface-token", 30, 34, is_alnum, 0},
    {"pypi-AgE", "pypi-token", 30, 50, is_word, FORMAT_RANDOM},
    {"pypi-", "pypi-token", 30, 0, is_word, 0},
    {"rubygems_", "rubygems-key", 48, 48, is_hex, FORMAT_RANDOM},
    {"dckr_pat_", "docker-token", 20, 20, is_word, FORMAT_RANDOM},
    {"dop_v1_", "digitalocean-token", 30, 64, is_alnum, FORMAT_RANDOM},
    {"doo_v1_", "digitalocean-token", 30, 64, is_alnum, FORMAT_RANDOM},
    {"SG.", "sendgrid-key", 30, 60, is_token, FORMAT_RANDOM},
    {"shpat_", "shopify-token", 32, 32, is_hex, FORMAT_RANDOM},
    {"shpca_", "shopify-token", 32, 32, is_hex, FORMAT_RANDOM},
    {"shppa_", "shopify-token", 32, 32, is_hex, FORMAT_RANDOM},
    {"shpss_", "shopify-token", 32, 32, is_hex, FORMAT_RANDOM},
    {"hvs.", "vault-token", 24, 24, is_word, FORMAT_RANDOM},
    {"hvb.", "vault-token", 24, 24, is_word, FORMAT_RANDOM},
    {"dapi", "databricks-token", 32, 32, is_hex, FORMAT_RANDOM},
    {"lin_api_", "linear-key", 40, 40, is_alnum, FORMAT_RANDOM},
    {"ntn_", "notion-token", 40, 40, is_alnum, FORMAT_RANDOM},
    {"figd_", "figma-token", 40, 40, is_word, FORMAT_RANDOM},
    {"ATATT3", "atlassian-token", 100, 100, is_token, FORMAT_RANDOM},
    {"glsa_", "grafana-token", 32, 32, is_word, FORMAT_RANDOM},
    {"tskey-", "tailscale-key", 20, 20, is_word, FORMAT_RANDOM},
    {"AGE-SECRET-KEY-1", "age-key", 58, 58, is_upper_alnum, 0},
    {"gsk_", "groq-key", 48, 48, is_alnum, FORMAT_RANDOM},
    {"xai-", "xai-key", 70, 70, is_alnum, FORMAT_RANDOM},
    {"nvapi-", "nvidia-key", 60, 60, is_word, FORMAT_RANDOM},
    {"r8_", "replicate-token", 37, 37, is_alnum, FORMAT_RANDOM},
    {"qrt_", "quire-token", 64, 64, is_hex, FORMAT_RANDOM},
    {"qra_", "quire-token", 64, 64, is_hex, FORMAT_RANDOM},
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

const struct secret_format *secret_format_at(size_t index)
{
    return index < N_FORMATS ? &formats[index] : NULL;
}

/* ---- entropy ------------------------------------------------------------- */

/* log2(n) - (sum of c * log2(c)) / n, of the counts c. */
unsigned secrets_entropy(quire_bytes value)
{
    /* log2 of 0 to 64, in thousandths */
    static const unsigned log2_of[65] = {
        0,    0,    1000, 1585, 2000, 2322, 2585, 2807, 3000, 3170, 3322,
        3459, 3585, 3700, 3807, 3907, 4000, 4087, 4170, 4248, 4322, 4392,
        4459, 4524, 4585, 4644, 4700, 4755, 4807, 4858, 4907, 4954, 5000,
        5044, 5087, 5129, 5170, 5209, 5248, 5285, 5322, 5358, 5392, 5426,
        5459, 5492, 5524, 5555, 5585, 5615, 5644, 5672, 5700, 5728, 5755,
        5781, 5807, 5833, 5858, 5883, 5907, 5931, 5954, 5977, 6000,
    };
    const unsigned char *s = value.data;
    size_t n = value.len < 64 ? value.len : 64, i;
    unsigned char count[256] = {0};
    unsigned sum = 0;

    for (i = 0; i < n; i++)
        count[s[i]]++;
    for (i = 0; i < n; i++) {
        sum += count[s[i]] * log2_of[count[s[i]]];
        count[s[i]] = 0;
    }
    return n ? (log2_of[n] - sum / (unsigned)n) / 100 : 0;
}

bool secrets_looks_random(quire_bytes value)
{
    const char *s = value.data;
    bool letter = false, digit = false;
    size_t i;

    for (i = 0; i < value.len; i++) {
        letter |= is_alpha(s[i]);
        digit |= is_digit(s[i]);
    }
    return letter && digit && secrets_entropy(value) >= 28;
}

/* ---- match --------------------------------------------------------------- */

/* The characters that decide: a run of any length is not walked from each of its
 * places. */
static bool is_sure(const struct secret_format *f, quire_bytes text, size_t at)
{
    size_t most = f->sure + 1 < text.len - at ? f->sure + 1 : text.len - at;
    quire_bytes value = bytes_sub(text, at, at + most);
    size_t n = run_of(value, 0, f->is);

    if (!f->sure || n < f->sure || (f->rules & FORMAT_EXACT && n > f->sure))
        return false;
    if (f->rules & FORMAT_ALNUM &&
        run_of(value, 0, is_alnum) < (f->sure < 20 ? f->sure : 20))
        return false;
    return !(f->rules & FORMAT_RANDOM) ||
           secrets_looks_random(bytes_sub(value, 0, n));
}

size_t secret_format_match(quire_bytes text, size_t at,
                           enum secrets_level level, const char **kind)
{
    const char *s = (const char *)text.data + at;
    size_t left = text.len - at, i, head, n;

    for (i = 0; i < N_FORMATS && left > 2; i++) {
        const struct secret_format *f = &formats[i];

        if (f->prefix[0] != s[0] || f->prefix[1] != s[1])
            continue;
        head = strlen(f->prefix);
        if (left < head || memcmp(s, f->prefix, head) != 0 ||
            (level == SECRETS_SURE && !is_sure(f, text, at + head)))
            continue;
        n = run_of(text, at + head, f->is);
        if (n < f->least)
            continue;
        *kind = f->kind;
        return head + n;
    }
    return 0;
}
