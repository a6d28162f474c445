// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "oracle.h"

#include <stdlib.h>
#include <string.h>

static u64 word_of(u64 region, u32 index)
{
	u64 z = region * 0x9e3779b97f4a7c15ULL + index;

	z *= 0xbf58476d1ce4e5b9ULL;
	return z ^ z >> 29;
}

/* @offset is a multiple of 8. */
void bytes_fill(u64 region, u32 offset, u8 *bytes, u32 len)
{
	u32 i;

	for (i = 0; i + 8 <= len; i += 8) {
		u64 word = word_of(region, (offset + i) / 8);

		memcpy(bytes + i, &word, 8);
	}
	if (i < len) {
		u64 word = word_of(region, (offset + i) / 8);

		memcpy(bytes + i, &word, len - i);
	}
}

bool bytes_are(u64 region, u32 offset, const u8 *bytes, u32 len)
{
	u8 good[4096];

	if (len > sizeof(good))
		return false;
	bytes_fill(region, offset, good, len);
	return !memcmp(good, bytes, len);
}

void flow_init(struct flow *flow, const char *name, u32 count, bool reliable)
{
	memset(flow, 0, sizeof(*flow));
	flow->name = name;
	flow->reliable = reliable;
	flow->room = count;
	flow->messages = calloc(count, sizeof(*flow->messages));
	if (!flow->messages)
		abort();
}

void flow_cleanup(struct flow *flow)
{
	free(flow->messages);
}

static u64 apply(u64 *cell, u8 kind, u64 swap_add, u64 compare)
{
	u64 orig = *cell;

	if (kind == CROCE_KIND_FETCH_ADD)
		*cell += swap_add;
	else if (orig == compare)
		*cell = swap_add;
	return orig;
}

static bool is_atomic(u8 kind)
{
	return kind == CROCE_KIND_CMP_SWAP || kind == CROCE_KIND_FETCH_ADD;
}

/* Operands as in struct croce_wqe: FetchAdd has its operand in compare_add. */
static void predict(struct flow *flow, struct message *message)
{
	u32 cell = rng_mix(flow->count) % CELLS;
	bool add = message->kind == CROCE_KIND_FETCH_ADD;

	message->va = CELLS_VA + 8 * cell;
	message->length = 8;
	if (!add && flow->count % 2)
		message->compare_add = flow->model[cell];
	message->orig = apply(&flow->model[cell], message->kind,
			      add ? message->compare_add : message->swap,
			      message->compare_add);
}

static void make_room(struct flow *flow)
{
	flow->room = 2 * flow->room + 1;
	flow->messages = realloc(flow->messages,
				 flow->room * sizeof(*flow->messages));
	if (!flow->messages)
		abort();
}

struct message *flow_add(struct flow *flow, const struct message *message)
{
	struct message *new;

	if (flow->count == flow->room)
		make_room(flow);
	new = &flow->messages[flow->count];
	*new = *message;
	new->va = (u64)(flow->count + 1) << REGION_SHIFT;
	if (is_atomic(new->kind))
		predict(flow, new);
	flow->count++;
	return new;
}

static bool is_complete(const struct flow *flow, u32 index)
{
	const struct message *message = &flow->messages[index];

	if (is_atomic(message->kind) || message->kind == CROCE_KIND_READ)
		return message->placed == message->length &&
		       message->is_executed;
	return message->kind == CROCE_KIND_LOCAL ? message->is_begun :
						   message->is_executed;
}

static void check_fence(const struct flow *flow, u32 index)
{
	u32 i;

	for (i = flow->done; i < index; i++) {
		u8 kind = flow->messages[i].kind;

		if (croce_kind_has_response(kind) && !is_complete(flow, i))
			oracle_fail("%s: %u passed its fence, %u is not done",
				    flow->name, index, i);
	}
}

void flow_begin(struct flow *flow, u32 index)
{
	struct message *message = &flow->messages[index];

	if (message->is_begun) {
		if (message->kind == CROCE_KIND_LOCAL)
			oracle_fail("%s: local operation %u performed twice",
				    flow->name, index);
		return;
	}
	if (index != flow->begun || index >= flow->posted)
		oracle_fail("%s: %u begun, %u expected", flow->name, index,
			    flow->begun);
	if (message->fetch_status)
		oracle_fail("%s: bad message %u begun", flow->name, index);
	if (message->flags & CROCE_WQE_FENCE)
		check_fence(flow, index);
	message->is_begun = true;
	flow->begun++;
}

void flow_payload(const struct flow *flow, u32 index, u32 offset, u8 *bytes,
		  u32 len)
{
	if ((u64)offset + len > flow->messages[index].length)
		oracle_fail("%s: %u: payload %u+%u of %u", flow->name, index,
			    offset, len, flow->messages[index].length);
	bytes_fill(index + 1, offset, bytes, len);
}

void flow_place(struct flow *flow, u32 index, u32 offset, const u8 *bytes,
		u32 len)
{
	struct message *message = &flow->messages[index];

	if (message->kind != CROCE_KIND_READ || offset != message->placed ||
	    (u64)offset + len > message->length)
		oracle_fail("%s: %u: %u+%u placed, %u of %u were", flow->name,
			    index, offset, len, message->placed,
			    message->length);
	if (!bytes_are(index + 1, offset, bytes, len))
		oracle_fail("%s: %u: wrong bytes at %u", flow->name, index,
			    offset);
	message->placed += len;
}

void flow_place_atomic(struct flow *flow, u32 index, u64 orig)
{
	struct message *message = &flow->messages[index];

	if (!is_atomic(message->kind) || message->placed)
		oracle_fail("%s: %u: atomic result", flow->name, index);
	if (orig != message->orig)
		oracle_fail("%s: %u: atomic gave %llx instead of %llx",
			    flow->name, index, (unsigned long long)orig,
			    (unsigned long long)message->orig);
	message->placed = 8;
}

static void check_status(struct flow *flow, u32 index, u8 status)
{
	if (flow->failed) {
		if (status != CROCE_STATUS_WR_FLUSH_ERR)
			oracle_fail("%s: %u: status %u after a failure",
				    flow->name, index, status);
		return;
	}
	if (!status) {
		if (flow->reliable && !is_complete(flow, index))
			oracle_fail("%s: %u completed, but is not done",
				    flow->name, index);
		if (!flow->messages[index].is_begun)
			oracle_fail("%s: %u completed, but never began",
				    flow->name, index);
		return;
	}
	if (status != flow->messages[index].fetch_status &&
	    !(flow->may_fail & 1U << status))
		oracle_fail("%s: %u: unexpected status %u", flow->name, index,
			    status);
	flow->failed = status;
}

void flow_complete(struct flow *flow, u64 wr_id, u8 status)
{
	if (wr_id != flow->done || wr_id >= flow->posted)
		oracle_fail("%s: %llu completed, %u expected", flow->name,
			    (unsigned long long)wr_id, flow->done);
	check_status(flow, wr_id, status);
	flow->done++;
}

/* Local operations are nothing to the responder. */
static struct message *executing(struct flow *flow)
{
	while (flow->exec < flow->count &&
	       flow->messages[flow->exec].kind == CROCE_KIND_LOCAL)
		flow->exec++;
	if (flow->exec >= flow->begun)
		oracle_fail("%s: %u executed before it began", flow->name,
			    flow->exec);
	return &flow->messages[flow->exec];
}

static bool takes_receive(const struct message *message)
{
	return message->kind == CROCE_KIND_SEND ||
	       (message->flags & CROCE_WQE_IMM);
}

static void finish(struct flow *flow, struct message *message)
{
	message->is_executed = true;
	if (takes_receive(message))
		flow->received++;
	flow->exec++;
}

/* Unreliable: messages may be missing, and end anywhere. */
static void skip_lost(struct flow *flow, const struct piece *piece)
{
	struct message *message;

	if (flow->reliable)
		return;
	if (piece->tag >= flow->begun || piece->tag < flow->exec)
		oracle_fail("%s: %u executed again", flow->name, piece->tag);
	flow->exec = piece->tag;
	message = &flow->messages[flow->exec];
	if (!piece->offset)
		message->executed = 0;
}

void flow_execute(struct flow *flow, const struct piece *piece,
		  const u8 *bytes)
{
	struct message *message;
	bool imm, ended;

	skip_lost(flow, piece);
	message = executing(flow);
	imm = piece->last && (message->flags & CROCE_WQE_IMM);
	if (message->kind != piece->kind || message->executed != piece->offset)
		oracle_fail("%s: %u: kind %u at %u executed, kind %u at %u due",
			    flow->name, flow->exec, piece->kind, piece->offset,
			    message->kind, message->executed);
	if (piece->kind == CROCE_KIND_WRITE &&
	    (piece->va != message->va + piece->offset ||
	     piece->rkey != message->rkey))
		oracle_fail("%s: %u: wrong address or key", flow->name,
			    flow->exec);
	if (!bytes_are(flow->exec + 1, piece->offset, bytes, piece->length))
		oracle_fail("%s: %u: wrong bytes at %u", flow->name,
			    flow->exec, piece->offset);
	message->executed += piece->length;
	flow->bytes += piece->length;
	ended = message->executed == message->length;
	if (piece->last != ended)
		oracle_fail("%s: %u: ends at %u of %u", flow->name, flow->exec,
			    message->executed, message->length);
	if (piece->has_imm != imm || (imm && piece->imm != message->imm))
		oracle_fail("%s: %u: wrong immediate", flow->name, flow->exec);
	if (piece->last)
		finish(flow, message);
}

void flow_execute_read(struct flow *flow, u64 va, u32 len)
{
	struct message *message = executing(flow);

	if (message->kind != CROCE_KIND_READ ||
	    va != message->va + message->executed ||
	    (u64)message->executed + len > message->length)
		oracle_fail("%s: %u: READ of %u at %llx, %u were", flow->name,
			    flow->exec, len, (unsigned long long)va,
			    message->executed);
	message->executed += len;
	flow->bytes += len;
	if (message->executed == message->length)
		finish(flow, message);
}

u64 flow_execute_atomic(struct flow *flow, u8 kind, u64 va, u64 swap_add,
			u64 compare)
{
	struct message *message = executing(flow);
	u64 orig;

	if (message->kind != kind || message->va != va)
		oracle_fail("%s: %u: atomic %u executed, kind %u due",
			    flow->name, flow->exec, kind, message->kind);
	orig = apply(&flow->cells[(va - CELLS_VA) / 8], kind, swap_add,
		     compare);
	if (orig != message->orig)
		oracle_fail("%s: %u: atomic found a wrong value", flow->name,
			    flow->exec);
	finish(flow, message);
	return orig;
}

void flow_read(const struct flow *flow, u64 va, u8 *bytes, u32 len)
{
	u64 region = va >> REGION_SHIFT;
	u32 offset = va & U32_MAX;

	if (!region || region > flow->count ||
	    (u64)offset + len > flow->messages[region - 1].length)
		oracle_fail("%s: READ of %u at %llx", flow->name, len,
			    (unsigned long long)va);
	bytes_fill(region, offset, bytes, len);
}

/* Half of the READs end with a message that says so, and the responder takes
 * the memory back: a duplicate of the READ that comes later finds none.
 */
bool flow_can_read(const struct flow *flow, u64 va)
{
	u32 index = (va >> REGION_SHIFT) - 1;

	if (index < flow->done && !flow->failed && rng_mix(index) % 2)
		return false;
	return !flow->messages[index].vanishes;
}

bool flow_is_over(const struct flow *flow)
{
	return flow->done == flow->count;
}

void flow_check_end(const struct flow *flow)
{
	u32 i, wanted = 0;

	if (!flow_is_over(flow))
		oracle_fail("%s: %u of %u completed, %u executed: stuck",
			    flow->name, flow->done, flow->count, flow->exec);
	if (flow->failed || !flow->reliable)
		return;
	for (i = 0; i < flow->count; i++)
		wanted += takes_receive(&flow->messages[i]);
	if (flow->received != wanted)
		oracle_fail("%s: %u received, not %u", flow->name,
			    flow->received, wanted);
	if (memcmp(flow->cells, flow->model, sizeof(flow->cells)))
		oracle_fail("%s: atomics left wrong values", flow->name);
}
