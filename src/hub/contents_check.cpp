#include "hub/contents_check.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <array>
#include <boost/algorithm/string/predicate.hpp>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "common/error.h"
#include "common/file_descriptor.h"

namespace nmt {
namespace {

class Digest {
 public:
  explicit Digest(const EVP_MD* kind) : state_(EVP_MD_CTX_new()) {
    if (state_ == nullptr || EVP_DigestInit_ex(state_.get(), kind, nullptr) != 1)
      throw Error("OpenSSL cannot compute the checksums of downloads");
  }
  void add(std::string_view bytes) { EVP_DigestUpdate(state_.get(), bytes.data(), bytes.size()); }
  std::string hexadecimal() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
    unsigned size = 0;
    EVP_DigestFinal_ex(state_.get(), bytes.data(), &size);
    std::string text;
    for (unsigned i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
    return text;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* state) const { EVP_MD_CTX_free(state); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> state_;
};

}  // namespace

bool has_contents(const std::string& path, const std::string& etag, const StopRequest& stop) {
  constexpr std::size_t kSha1 = 40, kSha256 = 64, kBlock = std::size_t{1} << 20;
  if (etag.size() != kSha1 && etag.size() != kSha256) return true;
  Digest digest(etag.size() == kSha1 ? EVP_sha1() : EVP_sha256());
  if (etag.size() == kSha1) {
    const std::string size = std::to_string(std::filesystem::file_size(path));
    digest.add(std::string("blob ") + size + '\0');
  }
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::vector<char> block(kBlock);
  for (;;) {
    stop.check();
    const ssize_t size = ::read(file.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw Error("cannot read '{}': {}", path, system_message(errno));
    if (size == 0) return boost::algorithm::iequals(digest.hexadecimal(), etag);
    digest.add({block.data(), static_cast<std::size_t>(size)});
  }
}

}  // namespace nmt
