#include "foreign/containers/pytorch/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "foreign/containers/tensor_file.h"

namespace nmt {
namespace {

// Far more than the dictionaries of the largest models need, at a few bytes each.
constexpr std::size_t kMostOnStack = std::size_t{1} << 16;
constexpr std::size_t kMostInMemo = std::size_t{1} << 17;
constexpr std::size_t kMostItems = std::size_t{1} << 18;

}  // namespace

/// Executes the opcodes of one pickle.
class PickleMachine {
  using Kind = PickledSequence::Kind;

 public:
  PickleMachine(Pickle& pickle, ByteReader& bytes, const std::string& path, UnknownObjects objects)
      : pickle_(pickle), bytes_(bytes), path_(path), keeps_objects_(objects == UnknownObjects::kept) {}

  PickledValue run() {
    while (true) {
      const auto opcode = bytes_.number<std::uint8_t>();
      if (opcode == '.') return last();
      if (pushes_literal(opcode) || makes_sequence(opcode) || fills_sequence(opcode) || uses_memo(opcode) ||
          calls(opcode) || (keeps_objects_ && makes_object(opcode))) {
        continue;
      }
      throw Error(
          "cannot load '{}': its pickle has the opcode {}, which no dictionary of tensors needs, and nmt "
          "reads nothing else; save only the state_dict(), as safetensors or with torch's default protocol",
          path_, pickle_opcode_name(opcode));
    }
  }

 private:
  /// Each of the following functions handles some opcodes; returns whether it did.
  bool pushes_literal(std::uint8_t opcode) {
    switch (opcode) {
      case 'N':
        return push(std::monostate());
      case 0x88:  // NEWTRUE
      case 0x89:  // NEWFALSE
        return push(opcode == 0x88);
      case 'J':  // BININT
        return push(std::int64_t{bytes_.number<std::int32_t>()});
      case 'K':  // BININT1
        return push(std::int64_t{bytes_.number<std::uint8_t>()});
      case 'M':  // BININT2
        return push(std::int64_t{bytes_.number<std::uint16_t>()});
      case 0x8A:  // LONG1
        return push(long_integer());
      case 'G':  // BINFLOAT, big-endian
        return push(std::bit_cast<double>(__builtin_bswap64(bytes_.number<std::uint64_t>())));
      case 'X':  // BINUNICODE
        return push(bytes_.bytes(bytes_.number<std::uint32_t>()));
      case 'U':  // SHORT_BINSTRING
        return push(bytes_.bytes(bytes_.number<std::uint8_t>()));
      default:
        return false;
    }
  }

  bool makes_sequence(std::uint8_t opcode) {
    switch (opcode) {
      case '(':
        if (marks_.size() == kMostOnStack) fail("it has too many marks");
        marks_.push_back(stack_.size());
        return true;
      case '}':
        return push_sequence(Kind::dict, {});
      case ']':
        return push_sequence(Kind::list, {});
      case ')':
        return push_sequence(Kind::tuple, {});
      case 't':
        return push_sequence(Kind::tuple, pop_to_mark());
      case 0x85:  // TUPLE1
      case 0x86:  // TUPLE2
      case 0x87:  // TUPLE3
        return push_sequence(Kind::tuple, pop_many(std::size_t{opcode} - 0x84));
      default:
        return false;
    }
  }

  bool fills_sequence(std::uint8_t opcode) {
    switch (opcode) {
      case 's':
        return fill_dict(pop_many(2));
      case 'u':
        return fill_dict(pop_to_mark());
      case 'a':
        return fill_list(pop_many(1));
      case 'e':
        return fill_list(pop_to_mark());
      default:
        return false;
    }
  }

  bool uses_memo(std::uint8_t opcode) {
    switch (opcode) {
      case 'q':
        return put(bytes_.number<std::uint8_t>());
      case 'r':
        return put(bytes_.number<std::uint32_t>());
      case 'h':
        return get(bytes_.number<std::uint8_t>());
      case 'j':
        return get(bytes_.number<std::uint32_t>());
      default:
        return false;
    }
  }

  bool calls(std::uint8_t opcode) {
    switch (opcode) {
      case 0x80:  // PROTO
        if (const auto protocol = bytes_.number<std::uint8_t>(); protocol > 2) {
          throw Error(
              "cannot load '{}': its pickle is of protocol {}, and nmt reads 2, torch's default; save it so",
              path_, protocol);
        }
        return true;
      case 'c':  // GLOBAL
        return push(global());
      case 'Q':  // BINPERSID
        return push(storage(pop()));
      case 'R': {  // REDUCE
        const PickledValue arguments = pop(), callee = pop();
        return push(called(as<PickledGlobal>(callee), sequence(arguments, Kind::tuple)));
      }
      case 'b': {  // BUILD: attributes; those of the dictionary do not concern tensors
        const PickledValue attributes = pop();
        if (auto* const* object = std::get_if<PickledObject*>(&top())) {
          (*object)->attributes = attributes;
          return true;
        }
        if (!is_dict(attributes) || !is_dict(top())) fail("it sets attributes of what is not a dictionary");
        return true;
      }
      default:
        return false;
    }
  }

  bool makes_object(std::uint8_t opcode) {
    if (opcode != 0x81) return false;  // NEWOBJ
    const PickledValue arguments = pop(), its_class = pop();
    if (as<PickledGlobal>(its_class).kind != PickledGlobal::Kind::unknown)
      fail("it makes an object of a class that has none");
    return push(object(sequence(arguments, Kind::tuple)));
  }

  PickledGlobal global() {
    const std::string_view module = bytes_.line(), name = bytes_.line();
    const std::string full = fmt::format("{} {}", module, name);
    if (const auto known = known_pickle_global(full)) return *known;
    if (keeps_objects_) return {PickledGlobal::Kind::unknown, ElementType::u8};
    throw Error(
        "cannot load '{}': its pickle asks for {}, which no dictionary of tensors needs, and nmt calls no "
        "functions; save only the state_dict()",
        path_, in_quotes(full));
  }

  PickledValue called(const PickledGlobal& callee, const PickledSequence& arguments) {
    switch (callee.kind) {
      case PickledGlobal::Kind::ordered_dict:
        if (!arguments.items.empty()) fail("it makes a dictionary of something");
        count_items(1);
        return &pickle_.sequences_.emplace_back(PickledSequence{Kind::ordered_dict, {}});
      case PickledGlobal::Kind::rebuild_tensor:
        return tensor(arguments.items);
      case PickledGlobal::Kind::rebuild_parameter:
        if (arguments.items.size() != 3) fail("it makes a parameter of something else than a tensor");
        return as<const PickledTensor*>(arguments.items[0]);
      case PickledGlobal::Kind::storage:
        fail("it makes a storage of its own");
      case PickledGlobal::Kind::unknown:
        return object(arguments);
    }
    fail("it calls something unknown");
  }

  PickledObject* object(const PickledSequence& arguments) {
    count_items(1);
    return &pickle_.objects_.emplace_back(PickledObject{&arguments, {}});
  }

  /// _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks, optional metadata)
  const PickledTensor* tensor(const std::vector<PickledValue>& arguments) {
    if (arguments.size() != 6 && arguments.size() != 7) fail("a tensor in it is not made as expected");
    if (pickle_.tensors_.size() == kMostTensors) fail("it has too many tensors");
    return &pickle_.tensors_.emplace_back(PickledTensor{
        *as<const PickledStorage*>(arguments[0]), as<std::int64_t>(arguments[1]),
        integers(sequence(arguments[2], Kind::tuple)), integers(sequence(arguments[3], Kind::tuple))});
  }

  /// ("storage", class, key, device, elements, optional None)
  const PickledStorage* storage(const PickledValue& identity) {
    const std::vector<PickledValue>& items = sequence(identity, Kind::tuple).items;
    const bool is_view = items.size() == 6 && !std::holds_alternative<std::monostate>(items[5]);
    if (items.size() < 5 || items.size() > 6 || is_view || as<std::string_view>(items[0]) != "storage") {
      fail("a storage in it is not named as expected");
    }
    const auto& type = as<PickledGlobal>(items[1]);
    const auto elements = as<std::int64_t>(items[4]);
    if (type.kind != PickledGlobal::Kind::storage || elements < 0)
      fail("a storage in it has no type or no size");
    if (pickle_.storages_.size() == kMostTensors) fail("it has too many storages");
    return &pickle_.storages_.emplace_back(
        PickledStorage{type.type, as<std::string_view>(items[2]), static_cast<std::uint64_t>(elements)});
  }

  /// LONG1: two's complement, preceded by its number of bytes.
  PickledValue long_integer() {
    const std::string_view digits = bytes_.bytes(bytes_.number<std::uint8_t>());
    if (digits.size() > sizeof(std::int64_t)) {
      if (keeps_objects_) return {};
      fail("it has an integer of more than 64 bits");
    }
    std::int64_t value = !digits.empty() && (digits.back() & 0x80) != 0 ? -1 : 0;
    std::memcpy(&value, digits.data(), digits.size());
    return value;
  }

  std::vector<std::int64_t> integers(const PickledSequence& tuple) const {
    std::vector<std::int64_t> values;
    for (const PickledValue& item : tuple.items) values.push_back(as<std::int64_t>(item));
    return values;
  }

  template <class T>
  const T& as(const PickledValue& value) const {
    if (const T* wanted = std::get_if<T>(&value)) return *wanted;
    fail(fmt::format("it has {} where {} is expected", kind_of(value), kind_of(PickledValue(T()))));
  }

  const PickledSequence& sequence(const PickledValue& value, Kind kind) const {
    const PickledSequence& found = *as<PickledSequence*>(value);
    if (found.kind != kind) fail("it has another sequence than is expected");
    return found;
  }

  static bool is_dict(const PickledValue& value) {
    const auto* const* sequence = std::get_if<PickledSequence*>(&value);
    return sequence != nullptr && (*sequence)->is_dict();
  }

  bool push(PickledValue value) {
    if (stack_.size() == kMostOnStack) fail("it puts too much on its stack");
    stack_.push_back(value);
    return true;
  }

  /// Requires `count` values above the last mark.
  void need(std::size_t count) const {
    const std::size_t floor = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - floor < count) fail("it takes more from its stack than there is");
  }

  PickledValue& top() {
    need(1);
    return stack_.back();
  }

  PickledValue pop() {
    const PickledValue value = top();
    stack_.pop_back();
    return value;
  }

  /// Returns the only value left at the end.
  PickledValue last() {
    const PickledValue value = pop();
    if (!stack_.empty() || !marks_.empty()) fail("it ends before its last value is made");
    return value;
  }

  std::vector<PickledValue> pop_many(std::size_t count) {
    need(count);
    const auto begin = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<PickledValue> values(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    return values;
  }

  std::vector<PickledValue> pop_to_mark() {
    if (marks_.empty()) fail("it lacks a mark that it refers to");
    std::vector<PickledValue> values = pop_many(stack_.size() - marks_.back());
    marks_.pop_back();
    return values;
  }

  void count_items(std::size_t count) {
    items_ += count;
    if (items_ > kMostItems) fail("it has too many values");
  }

  bool push_sequence(Kind kind, std::vector<PickledValue> items) {
    count_items(1 + items.size());
    return push(&pickle_.sequences_.emplace_back(PickledSequence{kind, std::move(items)}));
  }

  bool fill_dict(const std::vector<PickledValue>& items) {
    if (std::holds_alternative<PickledObject*>(top())) return true;
    if (!is_dict(top()) || items.size() % 2 != 0) fail("it puts values into what is not a dictionary");
    return fill(items);
  }

  bool fill_list(const std::vector<PickledValue>& items) {
    if (std::holds_alternative<PickledObject*>(top())) return true;
    if (as<PickledSequence*>(top())->kind != Kind::list) fail("it appends to what is not a list");
    return fill(items);
  }

  bool fill(const std::vector<PickledValue>& items) {
    count_items(items.size());
    std::vector<PickledValue>& to = as<PickledSequence*>(top())->items;
    to.insert(to.end(), items.begin(), items.end());
    return true;
  }

  bool put(std::size_t index) {
    if (index > memo_.size() || index == kMostInMemo) fail("it remembers too much");
    if (index == memo_.size()) memo_.emplace_back();
    memo_[index] = top();
    return true;
  }

  bool get(std::size_t index) {
    if (index >= memo_.size()) fail("it asks for what it has not remembered");
    return push(memo_[index]);
  }

  [[noreturn]] void fail(const std::string& what) const { throw damaged(path_, "in its pickle, " + what); }

  Pickle& pickle_;
  ByteReader& bytes_;
  const std::string& path_;
  const bool keeps_objects_;
  std::vector<PickledValue> stack_, memo_;
  std::vector<std::size_t> marks_;  // size of the stack at each mark
  std::size_t items_ = 0;           // total of all sequences
};

Pickle::Pickle(ByteReader& bytes, const std::string& path, UnknownObjects objects) {
  value_ = PickleMachine(*this, bytes, path, objects).run();
}

std::string_view kind_of(const PickledValue& value) {
  constexpr std::array<std::string_view, 10> kKinds = {
      "None",      "True or False", "a whole number",   "a fraction", "a text", "a function or a class",
      "a storage", "a tensor",      "a list of values", "an object"};
  return kKinds.at(value.index());
}

namespace {

/// Opcodes that dictionaries of tensors do not need, but other pickles do.
constexpr auto kOtherOpcodes = std::to_array<std::pair<std::uint8_t, const char*>>(
    {{'0', "POP"},          {'1', "POP_MARK"},    {'2', "DUP"},           {'F', "FLOAT"},
     {'I', "INT"},          {'L', "LONG"},        {'P', "PERSID"},        {'S', "STRING"},
     {'T', "BINSTRING"},    {'V', "UNICODE"},     {'B', "BINBYTES"},      {'C', "SHORT_BINBYTES"},
     {'d', "DICT"},         {'g', "GET"},         {'i', "INST"},          {'l', "LIST"},
     {'o', "OBJ"},          {'p', "PUT"},         {0x81, "NEWOBJ"},       {0x82, "EXT1"},
     {0x83, "EXT2"},        {0x84, "EXT4"},       {0x8B, "LONG4"},        {0x8C, "SHORT_BINUNICODE"},
     {0x8D, "BINUNICODE8"}, {0x8E, "BINBYTES8"},  {0x8F, "EMPTY_SET"},    {0x90, "ADDITEMS"},
     {0x91, "FROZENSET"},   {0x92, "NEWOBJ_EX"},  {0x93, "STACK_GLOBAL"}, {0x94, "MEMOIZE"},
     {0x95, "FRAME"},       {0x96, "BYTEARRAY8"}, {0x97, "NEXT_BUFFER"},  {0x98, "READONLY_BUFFER"}});

using GlobalKind = PickledGlobal::Kind;

constexpr std::array<std::pair<std::string_view, PickledGlobal>, 13> kGlobals = {
    {{"collections OrderedDict", {GlobalKind::ordered_dict, ElementType::u8}},
     {"torch._utils _rebuild_tensor_v2", {GlobalKind::rebuild_tensor, ElementType::u8}},
     {"torch._utils _rebuild_parameter", {GlobalKind::rebuild_parameter, ElementType::u8}},
     {"torch FloatStorage", {GlobalKind::storage, ElementType::f32}},
     {"torch HalfStorage", {GlobalKind::storage, ElementType::f16}},
     {"torch BFloat16Storage", {GlobalKind::storage, ElementType::bf16}},
     {"torch DoubleStorage", {GlobalKind::storage, ElementType::f64}},
     {"torch LongStorage", {GlobalKind::storage, ElementType::i64}},
     {"torch IntStorage", {GlobalKind::storage, ElementType::i32}},
     {"torch ShortStorage", {GlobalKind::storage, ElementType::i16}},
     {"torch CharStorage", {GlobalKind::storage, ElementType::i8}},
     {"torch ByteStorage", {GlobalKind::storage, ElementType::u8}},
     {"torch BoolStorage", {GlobalKind::storage, ElementType::boolean}}}};

}  // namespace

std::string pickle_opcode_name(std::uint8_t opcode) {
  const auto* known = std::ranges::find(kOtherOpcodes, opcode, [](const auto& entry) { return entry.first; });
  return known != kOtherOpcodes.end() ? known->second : fmt::format("{:#x}", opcode);
}

std::optional<PickledGlobal> known_pickle_global(std::string_view name) {
  const auto* known = std::ranges::find(kGlobals, name, [](const auto& entry) { return entry.first; });
  return known != kGlobals.end() ? std::optional(known->second) : std::nullopt;
}

}  // namespace nmt
