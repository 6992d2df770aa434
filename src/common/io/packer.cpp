#include "common/io/packer.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <new>

namespace nmt {
namespace {

/// The common part of the formats: compressed bytes leave through a buffer.
class BufferedPacker : public Packer {
 public:
  void pack(std::string_view bytes, const Take& take) final {
    while (!bytes.empty()) step(bytes, false, take);
  }
  void finish(const Take& take) final {
    std::string_view nothing;
    while (!step(nothing, true, take)) continue;
  }

 protected:
  struct Step {
    std::size_t consumed, made;
    bool finished;
  };
  /// Compresses some of `bytes` into `room`; with `end`, nothing follows them.
  virtual Step pack_some(std::string_view bytes, char* to, std::size_t room, bool end) = 0;

 private:
  bool step(std::string_view& bytes, bool end, const Take& take) {
    const Step done = pack_some(bytes, buffer_.data(), buffer_.size(), end);
    bytes.remove_prefix(done.consumed);
    if (done.made > 0) take({buffer_.data(), done.made});
    return done.finished;
  }

  std::array<char, std::size_t{64} << 10> buffer_{};
};

class GzipPacker final : public BufferedPacker {
 public:
  GzipPacker() {
    constexpr int kGzip = 16, kMemory = 8;
    if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzip, kMemory,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  ~GzipPacker() override { deflateEnd(&stream_); }
  GzipPacker(const GzipPacker&) = delete;
  GzipPacker& operator=(const GzipPacker&) = delete;

 private:
  Step pack_some(std::string_view bytes, char* to, std::size_t room, bool end) override {
    const std::size_t given = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(given);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = deflate(&stream_, end ? Z_FINISH : Z_NO_FLUSH);
    return {given - stream_.avail_in, room - stream_.avail_out, status == Z_STREAM_END};
  }

  z_stream stream_{};
};

class XzPacker final : public BufferedPacker {
 public:
  XzPacker() {
    if (lzma_easy_encoder(&stream_, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) != LZMA_OK) throw std::bad_alloc();
  }
  ~XzPacker() override { lzma_end(&stream_); }
  XzPacker(const XzPacker&) = delete;
  XzPacker& operator=(const XzPacker&) = delete;

 private:
  Step pack_some(std::string_view bytes, char* to, std::size_t room, bool end) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(bytes.data());
    stream_.avail_in = bytes.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(to);
    stream_.avail_out = room;
    const lzma_ret status = lzma_code(&stream_, end ? LZMA_FINISH : LZMA_RUN);
    if (status == LZMA_MEM_ERROR) throw std::bad_alloc();
    return {bytes.size() - stream_.avail_in, room - stream_.avail_out, status == LZMA_STREAM_END};
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class ZstdPacker final : public BufferedPacker {
 public:
  ZstdPacker() {
    if (!context_) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  Step pack_some(std::string_view bytes, char* to, std::size_t room, bool end) override {
    ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
    ZSTD_outBuffer out = {to, room, 0};
    const std::size_t left =
        ZSTD_compressStream2(context_.get(), &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // only memory can be lacking
    return {in.pos, out.pos, left == 0};
  }

  std::unique_ptr<ZSTD_CCtx, Free> context_{ZSTD_createCCtx()};
};

}  // namespace

std::string_view packed_ending(std::string_view path) {
  for (const std::string_view ending : {".gz", ".xz", ".zst"}) {
    if (path.ends_with(ending)) return path.substr(path.size() - ending.size());
  }
  return {};
}

std::unique_ptr<Packer> packer_for(const std::string& path) {
  if (path.ends_with(".gz")) return std::make_unique<GzipPacker>();
  if (path.ends_with(".xz")) return std::make_unique<XzPacker>();
  if (path.ends_with(".zst")) return std::make_unique<ZstdPacker>();
  return nullptr;
}

}  // namespace nmt
