// Text of Markdown with its formatting: emphasis, links, pictures, code, tags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "documents/content.h"

namespace nmt {

/// The labels of links that a document defines; see folded_words().
using LinkLabels = std::set<std::string, std::less<>>;

/// Returns a text in which characters that would be formatting are escaped. `is_cell`: of a table.
std::string escaped_markdown(std::string_view text, bool is_cell);

/// Reads a text with its formatting, in time that is proportional to its length.
class MarkdownInlines {
 public:
  /// A picture, whose alternative text is translated.
  struct Picture {
    std::size_t begin, end;  // in the text
    Content content;
  };

  /// `text`: of less than 4 GiB; line ends in it are spaces, or with two spaces or "\" before them breaks,
  /// after which a line begins with `prefix`. `encode`: for alternative texts. All must outlive the object.
  MarkdownInlines(std::string_view text, const LinkLabels& labels, const std::string& prefix,
                  const Encode& encode);

  /// Returns the parts of the text. Call it once.
  std::vector<Inline> parts() { return parts(0, text_.size(), 0); }
  /// Returns the pictures that parts() has found, in order; none is in another one.
  const std::vector<Picture>& pictures() const { return pictures_; }

 private:
  using Add = std::function<void(Inline part)>;
  static constexpr std::uint32_t kNowhere = UINT32_MAX;

  std::vector<Inline> parts(std::size_t begin, std::size_t end, int depth);
  /// Finds the ends of what may begin in the text.
  void find_ends();
  std::size_t size_of_run(std::size_t at) const;
  // Each returns the size of what begins at a place and ends before `end`; 0: nothing.
  std::size_t size_of_break(std::size_t at, std::size_t end) const;
  std::size_t size_of_code(std::size_t at, std::size_t end) const;
  std::size_t size_of_tag(std::size_t at, std::size_t end);
  /// Returns the place of the bracket that closes one at a place; npos: none before `end`.
  std::size_t closing(std::size_t open, std::size_t end) const;
  // Each adds what begins at `i`, and moves `i` after it; returns false if nothing does.
  bool take_link(std::size_t& i, std::size_t end, int depth, const Add& add);
  bool take_emphasis(std::size_t& i, std::size_t end, int depth, const Add& add);

  std::string_view text_;
  const LinkLabels& labels_;
  const std::string& prefix_;
  const Encode& encode_;
  std::vector<Picture> pictures_;
  // Places in order: of runs of backticks by their sizes, and of marks that may end emphasis by mark and
  // size.
  std::map<std::size_t, std::vector<std::uint32_t>> backticks_;
  std::map<char, std::array<std::vector<std::uint32_t>, 3>> closers_;
  std::vector<std::uint32_t> brackets_;        // for each character, the bracket that closes it
  std::size_t comment_ = 0, comment_end_ = 0;  // between them, no comment ends but at the end
};

}  // namespace nmt
