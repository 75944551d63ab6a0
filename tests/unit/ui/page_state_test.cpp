// SPDX-License-Identifier: MIT
#include "ui/model/page_state.h"

#include "ui/model/inspector_model.h"
#include "ui/model/preview.h"
#include "ui/wait_for.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace glassfs;
using namespace glassfs::ui;
using namespace glassfs::ui::testing;
using Json = nlohmann::json;

namespace {

struct Page {
    FakeControls controls;
    Session session;
    FileTree files;

    Json state() {
        Json out;
        // As often as answers come in.
        wait_for([&] {
            session.follow_wanted_path();
            out = Json::parse(page_state_json(session, files, headline(session, true), {}));
            return !session.busy() && session.view.wanted_path.empty() &&
                   out == Json::parse(page_state_json(session, files, headline(session, true), {}));
        });
        return out;
    }
    bool apply(const char* json) { return apply_action(session, files, json).has_value(); }
};

Json row_named(const Json& rows, const char* name) {
    for (const Json& row : rows) {
        if (row["name"] == name) return row;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("ui/page_state: an empty page says what to do") {
    Page page;
    Json state = page.state();
    CHECK(state["state"] == "empty");
    CHECK(state["headline"]["title"] == "Open a btrfs image to see inside of it.");
    CHECK(state["tabs"].size() == 6);
    CHECK(state["tabs"][0]["enabled"] == true);
    CHECK(state["tabs"][2]["enabled"] == false);
}

TEST_CASE("ui/page_state: each volume opened, closed or refused has an epoch of its own") {
    Page page;
    CHECK(page.state()["epoch"] == 0);
    REQUIRE(open_fake(page.session, page.controls));
    CHECK(page.state()["epoch"] == 1);
    REQUIRE(page.apply(R"({"do":"tree","id":"5"})"));
    CHECK(page.state()["epoch"] == 1);
    REQUIRE(open_fake(page.session, page.controls));
    Json state = page.state();
    CHECK(state["epoch"] == 2);
    CHECK(state["state"] == "open");
    page.session.fail_open(Error{Cause::DeviceOpenFailed, {}, "gone"}, "disk.img");
    state = page.state();
    CHECK(state["epoch"] == 3);
    CHECK(state["state"] == "failed");
    REQUIRE(page.apply(R"({"do":"close"})"));
    CHECK(page.state()["epoch"] == 4);
}

TEST_CASE("ui/page_state: an open volume lists its files, and folders unfold on an action") {
    Page page;
    REQUIRE(open_fake(page.session, page.controls));
    Json state = page.state();
    CHECK(state["volume"]["label"] == "demo");
    CHECK(state["volume"]["generation"] == "8");
    Json docs = row_named(state["navigator"]["rows"], "docs");
    REQUIRE(docs.is_object());
    CHECK(docs["kind"] == "dir");
    CHECK(docs["open"] == false);
    CHECK(row_named(state["navigator"]["rows"], "README.md")["value"] == "34 B");
    CHECK(row_named(state["navigator"]["rows"], "latest")["value"] == "docs/hello.txt");

    REQUIRE(page.apply(docs["action"].dump().c_str()));
    state = page.state();
    Json hello = row_named(state["navigator"]["rows"], "hello.txt");
    REQUIRE(hello.is_object());
    CHECK(hello["depth"] == 1);
    REQUIRE(page.apply(hello["action"].dump().c_str()));
    state = page.state();
    CHECK(state["selection"]["path"] == "/docs/hello.txt");
    CHECK(state["inspector"]["title"] == "hello.txt");
    CHECK(state["inspector"]["text"] == "Hello, world!\n");
    CHECK(state["headline"]["title"] == "hello.txt is stored inside its leaf.");
}

TEST_CASE("ui/page_state: a block shows its fields, bytes and copies") {
    Page page;
    REQUIRE(open_fake(page.session, page.controls));
    REQUIRE(page.apply(R"({"do":"tree","id":"5"})"));
    REQUIRE(page.apply(R"({"do":"block","addr":"5246976"})"));
    Json state = page.state();
    CHECK(state["workspace"] == "Trees");
    CHECK(state["inspector"]["title"] == "Leaf 5246976");
    CHECK(state["inspector"]["items"].size() == 12);
    CHECK(state["inspector"]["copies"].size() == 2);
    Json generation = row_named(state["inspector"]["fields"], "generation");
    CHECK(generation["value"] == "7");
    CHECK(generation["offset"] == 80);
    CHECK(generation["size"] == 8);
    CHECK(state["inspector"]["hex"][0]["offset"] == 0);
    CHECK(state["inspector"]["hex"][0]["bytes"] == "01 08 0f 16 1d 24 2b 32");
    CHECK(state["stage"]["rows"].size() == 11);

    REQUIRE(page.apply(generation["action"].dump().c_str()));
    CHECK(row_named(page.state()["inspector"]["fields"], "generation")["selected"] == true);

    REQUIRE(page.apply(R"({"do":"slot","addr":"5246976","slot":2})"));
    state = page.state();
    CHECK(state["selection"]["slot"] == 2);
    CHECK(row_named(state["inspector"]["fields"], "objectid")["value"] == "258");
}

TEST_CASE("ui/page_state: a bad checksum is said in the headline, with both values in the inspector") {
    Page page;
    REQUIRE(open_fake(page.session, page.controls));
    REQUIRE(page.apply(R"({"do":"block","addr":"5255168"})"));
    Json state = page.state();
    CHECK(state["headline"]["kind"] == "ERROR");
    CHECK(state["headline"]["title"] == "Leaf 5255168 has a bad checksum.");
    CHECK(row_named(state["inspector"]["fields"], "stored")["value"] == "12345678");
    CHECK(row_named(state["inspector"]["fields"], "computed")["value"] == "87654321");
}

TEST_CASE("ui/page_state: looks follow actions, and unknown ones are refused") {
    Page page;
    CHECK(page.apply(R"({"do":"theme","name":"light"})"));
    CHECK(page.session.view.theme == ThemeChoice::Light);
    CHECK(page.apply(R"({"do":"scale","value":9})"));
    CHECK(page.session.view.scale == 2.0F);
    CHECK(page.apply(R"({"do":"workspace","name":"Trees"})"));
    CHECK_FALSE(page.apply(R"({"do":"workspace","name":"Log"})"));
    CHECK(page.session.view.workspace == Workspace::Trees);
    CHECK_FALSE(page.apply(R"({"do":"theme","name":"pink"})"));
    CHECK_FALSE(page.apply(R"({"do":"fly"})"));
    CHECK_FALSE(page.apply(R"({"do":"block","addr":"12x"})"));
    CHECK_FALSE(page.apply(R"({"do":"block"})"));
    CHECK_FALSE(page.apply("["));
    CHECK_FALSE(page.apply("7"));
    CHECK_FALSE(page.apply(R"({"do":"path","path":"docs"})"));
}

TEST_CASE("ui/page_state: only the navigator's rows on the screen are listed") {
    Page page;
    REQUIRE(open_fake(page.session, page.controls));
    page.session.view.open_dirs.insert(node_id(262));
    page.session.view.rows_first = 3;
    page.session.view.rows_shown = 10;
    Json state = page.state();
    CHECK(state["navigator"]["rows"].size() == 10);
    // README.md, docs, latest, many, a page of its files, and the row for more of them.
    CHECK(state["navigator"]["total"] == 4 + 256 + 1);
    page.session.view.rows_shown = 400;
    state = page.state();
    Json more = row_named(state["navigator"]["rows"], "more");
    REQUIRE(more.is_object());
    REQUIRE(page.apply(more["action"].dump().c_str()));
    CHECK(page.state()["navigator"]["total"] == 4 + 512 + 1);
}

TEST_CASE("ui/headline: a title has at most 75 characters, whatever a name is like") {
    Page page;
    std::string name;
    for (int i = 0; i < 85; ++i) name += "\xe2\x82\xac";
    page.session.open_volume(
        []() -> Result<std::unique_ptr<mount::Volume>> { return fail(Cause::SuperblockBad); }, name);
    REQUIRE(wait_for([&] { return page.session.state() == SessionState::Failed; }));
    Headline h = headline(page.session, false);
    CHECK(characters(h.title) <= Headline::title_max);
    CHECK(h.title.ends_with(" can't be opened."));
    CHECK(h.reason == "no valid superblock");
}

TEST_CASE("ui/headline: names are shortened in their middle") {
    CHECK(short_name("short.txt", 20) == "short.txt");
    CHECK(short_name("abcdefghij", 5) == "ab\xe2\x80\xa6ij");
    CHECK(characters(short_name("abcdefghijklmnop", 8)) == 8);
    CHECK(plural(1, "leaf", "leaves") == "1 leaf");
    CHECK(plural(12345, "leaf", "leaves") == "12,345 leaves");
}

TEST_CASE("ui/preview: text is told from other bytes") {
    CHECK(looks_like_text(as_bytes("caf\xc3\xa9\n\tok\r\n")));
    CHECK(looks_like_text(as_bytes("cut in a character \xe2\x82")));
    CHECK_FALSE(looks_like_text(as_bytes(std::string_view("a\0b", 3))));
    CHECK_FALSE(
        looks_like_text(as_bytes("\x7f"
                                 "ELF")));
    CHECK_FALSE(looks_like_text(as_bytes("broken \xff here")));
    CHECK(text_lines(as_bytes("a\r\n\tb\n\nc"), 10) == std::vector<std::string>{"a", "    b", "", "c"});
    CHECK(text_lines(as_bytes("1\n2\n3\n"), 2).size() == 2);
    CHECK(text_lines(as_bytes(std::string(1000, 'x')), 9).size() == 3);
    CHECK(text_lines(as_bytes("one two three"), 9, 8) == std::vector<std::string>{"one two", "three"});
    CHECK(text_lines(as_bytes("one twothree"), 9, 7) == std::vector<std::string>{"one", "twothre", "e"});
}

TEST_CASE("ui/inspector: a byte's name is that of the innermost field that holds it") {
    HexView hex;
    InspectorRow outer;
    outer.name = "key";
    outer.bytes = ByteRange{0, 17};
    InspectorRow inner;
    inner.name = "objectid";
    inner.bytes = ByteRange{0, 8};
    hex.names = {outer, inner};
    REQUIRE(hex.name_at(3));
    CHECK(hex.name_at(3)->name == "objectid");
    CHECK(hex.name_at(12)->name == "key");
    CHECK(hex.name_at(17) == nullptr);
    CHECK(hex_row_text(as_bytes("a\n~")) == "a\xc2\xb7~");
}

TEST_CASE("ui/file_tree: sizes are short and paths are joined with one slash") {
    CHECK(short_size(0) == "0 B");
    CHECK(short_size(1023) == "1023 B");
    CHECK(short_size(1434) == "1.4 K");
    CHECK(short_size(150 << 10) == "150 K");
    CHECK(short_size((1ULL << 20) - 1) == "1.0 M");
    CHECK(short_size(~0ULL) == "16.0 E");
    CHECK(join_path("/", "a") == "/a");
    CHECK(join_path("/a", "b") == "/a/b");
    CHECK(parent_path("/a/b") == "/a");
    CHECK(parent_path("/a") == "/");
    CHECK(last_name("/a/b") == "b");
    CHECK(last_name("/") == "/");
}
