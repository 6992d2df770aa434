# A formula of Homebrew on Linux. release.sh replaces VERSION, URL and SHA256.
class Nmt < Formula
  desc "Toolkit for neural machine translation"
  homepage "URL"
  url "URL/nmt-VERSION.tar.gz"
  sha256 "SHA256"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "nlohmann-json" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "boost"
  depends_on "curl"
  depends_on "expat"
  depends_on "fmt"
  depends_on "icu4c"
  depends_on "libzip"
  depends_on :linux
  depends_on "openssl@3"
  depends_on "sentencepiece"
  depends_on "xxhash"
  depends_on "xz"
  depends_on "yaml-cpp"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "cmake", "--preset", "release", "-D", "NMT_CUDA=OFF", "-D", "NMT_MPI=OFF", "-D", "NMT_PYTHON=OFF",
           "-D", "CMAKE_INSTALL_PREFIX=#{prefix}"
    system "cmake", "--build", "--preset", "release"
    system "cmake", "--install", "build-release", "--component", "program"
    system "cmake", "--install", "build-release", "--component", "library"
  end

  test do
    (testpath/"text").write "a cat\nthe cat sat\n" * 50
    system bin/"nmt", "vocab", "-i", testpath/"text", "-o", testpath/"text.spm", "--size", "20"
    score = shell_output("#{bin}/nmt bleu --score-only --width 0 #{testpath}/text < #{testpath}/text")
    assert_equal "100", score.strip
  end
end
