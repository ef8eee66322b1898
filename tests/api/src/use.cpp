// The same by somebody who writes C++.
#include <quire.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace
{

class store
{
  public:
    explicit store(const char *home)
    {
        quire_options options = QUIRE_OPTIONS_INIT;

        options.home = home;
        status = quire_open(&options, &q, &err);
    }
    ~store()
    {
        quire_close(q);
    }
    store(const store &) = delete;
    store &operator=(const store &) = delete;

    quire *q = nullptr;
    quire_error err{};
    quire_status status;
};

quire_status gather(void *ctx, quire_bytes bytes, quire_error *)
{
    static_cast<std::string *>(ctx)->append(static_cast<const char *>(
                                                bytes.data),
                                            bytes.len);
    return QUIRE_OK;
}

} // namespace

int main(int argc, char **argv)
{
    const std::string content(100000, 'x');
    std::string back;
    quire_blob_info info;

    if (argc != 2)
        return 2;
    store s(argv[1]);
    if (s.status ||
        quire_blob_put(s.q, {content.data(), content.size()}, 0, &info,
                       &s.err) ||
        quire_blob_read(s.q, &info.digest, 0, UINT64_MAX, gather, &back,
                        &s.err)) {
        std::fprintf(stderr, "%s (%s)\n", s.err.what, s.err.next);
        return 1;
    }
    if (back != content)
        return 3;
    std::puts("it works");
}
