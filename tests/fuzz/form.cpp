// Fuzz target: bodies of forms, and other parts of HTTP requests that are parsed here.
#include "common/error.h"
#include "fuzz/check.h"
#include "fuzz/target.h"
#include "http/message.h"

namespace nmt::fuzz {
namespace of_form {
namespace {

std::vector<std::string> seeds() {
  return {"q=A+dog+runs.&source=en&target=de&format=text&alternatives=2",
          "q=%C3%A4%26+%3D&api_key=",
          "a",
          "",
          "[::1]:8080",
          "localhost:80"};
}

std::vector<std::string> words() {
  return {"&", "=", "%", "%4", "%zz", "%00", "+", "[", "]:", "::1", "127.0.0.1"};
}

void load(const std::string& bytes) {
  const std::string host = host_name(bytes);
  check(host.size() <= bytes.size(), "a host is a part of its field");
  check(!is_loopback(host) || host == "localhost" || is_address(host),
        "a loopback is an address, or localhost");
  const auto fields = form_fields(bytes);
  if (!fields) throw UsageError("the form is malformed");
  std::size_t size = 0;
  for (const auto& [name, value] : *fields) size += name.size() + value.size();
  check(size <= bytes.size(), "decoding makes nothing longer");
}

}  // namespace
}  // namespace of_form

Target form_target() {
  using namespace of_form;
  return {"form", seeds, words, load};
}

}  // namespace nmt::fuzz
