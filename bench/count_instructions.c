/* A plugin of qemu that prints how many instructions of the emulated processor a program executed, for programs with one
   thread: gcc -shared -fPIC -o count.so count_instructions.c; qemu-aarch64 -plugin ./count.so -d plugin PROGRAM.

   The declarations are those of qemu's interface for plugins (version 1), whose header Debian 12 does not have. */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, enum qemu_plugin_op op, void* number,
                                              uint64_t added);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ended)(qemu_plugin_id_t, void*), void* data);
void qemu_plugin_outs(const char* text);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t count;

static void add_instructions(qemu_plugin_id_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void print_count(qemu_plugin_id_t id, void* data) {
  char text[64];
  (void)id;
  (void)data;
  snprintf(text, sizeof text, "instructions: %" PRIu64 "\n", count);
  qemu_plugin_outs(text);
}

__attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const void* info, int count_of_arguments,
                                                               char** arguments) {
  (void)info;
  (void)count_of_arguments;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, add_instructions);
  qemu_plugin_register_atexit_cb(id, print_count, NULL);
  return 0;
}
