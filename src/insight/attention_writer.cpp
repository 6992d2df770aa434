#include "insight/attention_writer.h"

#include <algorithm>

#include "insight/attention_page.h"
#include "insight/attention_picture.h"
#include "insight/attention_text.h"
#include "pictures/png.h"

namespace nmt {
namespace {

class JsonWriter final : public AttentionWriter {
 public:
  std::string pair(const PairAttention& pair) override {
    std::string text = (is_first_ ? "[\n" : ",\n") + attention_json(pair);
    is_first_ = false;
    return text;
  }
  std::string end() override { return is_first_ ? "[]\n" : "\n]\n"; }

 private:
  bool is_first_ = true;
};

class TableWriter final : public AttentionWriter {
 public:
  std::string pair(const PairAttention& pair) override {
    const std::string header = is_first_ ? kAttentionTableHeader : "";
    is_first_ = false;
    return header + attention_table(pair);
  }
  std::string end() override { return ""; }

 private:
  bool is_first_ = true;
};

}  // namespace

const std::vector<std::string>& attention_formats() {
  static const std::vector<std::string> formats = [] {
    std::vector<std::string> all = {"html", "json", "tsv"};
    all.insert(all.begin() + 1, picture_formats().begin(), picture_formats().end());
    return all;
  }();
  return formats;
}

bool is_attention_picture(const std::string& format) {
  return std::ranges::find(picture_formats(), format) != picture_formats().end();
}

std::unique_ptr<AttentionWriter> make_attention_writer(const std::string& format, const std::string& model,
                                                       const StopRequest& stop) {
  if (format == "html") return std::make_unique<AttentionPage>(model);
  if (is_attention_picture(format)) return std::make_unique<AttentionPicture>(model, format, stop);
  if (format == "json") return std::make_unique<JsonWriter>();
  return std::make_unique<TableWriter>();
}

}  // namespace nmt
