// JSON texts as trees in an arena.
#include "ir/json.h"

#include "llvm/Support/JSON.h"

#include <cstring>

using namespace llvm;

static tri_str keepText(tri_arena *arena, StringRef text)
{
    return tri_str_copy(arena, tri_str{text.data(), text.size()});
}

static void convert(tri_arena *arena, const json::Value &value, tri_json *out)
{
    *out = {};
    if (auto truth = value.getAsBoolean()) {
        out->kind = TRI_JSON_BOOL;
        out->truth = *truth;
    } else if (auto number = value.getAsNumber()) {
        out->kind = TRI_JSON_NUMBER;
        out->number = *number;
    } else if (auto text = value.getAsString()) {
        out->kind = TRI_JSON_STRING;
        out->string = keepText(arena, *text);
    } else if (auto *array = value.getAsArray()) {
        out->kind = TRI_JSON_ARRAY;
        out->items = static_cast<tri_json *>(tri_arena_alloc(arena, sizeof(tri_json) * (array->size() + 1)));
        for (const json::Value &item : *array)
            convert(arena, item, &out->items[out->count++]);
    } else if (auto *object = value.getAsObject()) {
        out->kind = TRI_JSON_OBJECT;
        out->items = static_cast<tri_json *>(tri_arena_alloc(arena, sizeof(tri_json) * (object->size() + 1)));
        out->keys = static_cast<tri_str *>(tri_arena_alloc(arena, sizeof(tri_str) * (object->size() + 1)));
        for (const auto &member : *object) {
            out->keys[out->count] = keepText(arena, member.first);
            convert(arena, member.second, &out->items[out->count++]);
        }
    }
}

// LLVM's reader recurses without a limit.
static bool isFlatEnough(tri_str text)
{
    const int deepest = 200;
    int depth = 0;
    bool isString = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];
        if (isString) {
            i += c == '\\';
            isString = c != '"';
        } else if (c == '"') {
            isString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                return false;
        } else if (c == ']' || c == '}') {
            depth--;
        }
    }
    return true;
}

const tri_json *tri_json_parse(tri_arena *arena, tri_str text)
{
    if (!isFlatEnough(text))
        return nullptr;
    Expected<json::Value> value = json::parse(StringRef(text.data, text.len));
    if (!value) {
        consumeError(value.takeError());
        return nullptr;
    }
    tri_json *out = static_cast<tri_json *>(tri_arena_alloc(arena, sizeof(tri_json)));
    convert(arena, *value, out);
    return out;
}

const tri_json *tri_json_get(const tri_json *json, const char *path)
{
    while (json && *path) {
        size_t length = std::strcspn(path, ".");
        const tri_json *found = nullptr;
        for (size_t i = 0; json->kind == TRI_JSON_OBJECT && i < json->count && !found; i++)
            if (json->keys[i].len == length && !std::memcmp(json->keys[i].data, path, length))
                found = &json->items[i];
        json = found;
        path += length + (path[length] == '.');
    }
    return json;
}

tri_str tri_json_string(const tri_json *json, const char *path)
{
    const tri_json *found = tri_json_get(json, path);
    return found && found->kind == TRI_JSON_STRING ? found->string : tri_str{"", 0};
}

int64_t tri_json_number(const tri_json *json, const char *path, int64_t otherwise)
{
    const tri_json *found = tri_json_get(json, path);
    bool is_sane = found && found->kind == TRI_JSON_NUMBER && found->number > -9e15 && found->number < 9e15;
    return is_sane ? static_cast<int64_t>(found->number) : otherwise;
}
