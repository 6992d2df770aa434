#include "insight/attention_writer.h"

#include "insight/attention_text.h"

namespace nmt {
namespace {

class JsonWriter final : public AttentionWriter {
 public:
  std::string pair(const PairAttention& pair) override {
    const std::string text = (is_first_ ? "[\n" : ",\n") + attention_json(pair);
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
  static const std::vector<std::string> formats = {"json", "tsv"};
  return formats;
}

std::unique_ptr<AttentionWriter> make_attention_writer(const std::string& format,
                                                       const std::string& /*title*/) {
  if (format == "json") return std::make_unique<JsonWriter>();
  return std::make_unique<TableWriter>();
}

}  // namespace nmt
