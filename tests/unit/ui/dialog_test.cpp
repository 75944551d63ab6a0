// SPDX-License-Identifier: MIT
#include "ui/model/dialog.h"

#include "ui/model/kept_volumes.h"
#include "ui/model/volume_dialog.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace glassfs;
using namespace glassfs::ui;

namespace {

constexpr u64 MiB = 1 << 20;

DialogPtr volume_form(NewVolume* made = nullptr, bool can_keep = true) {
    return new_volume_dialog(can_keep, [made](const NewVolume& wanted) -> DialogAnswer {
        if (made) *made = wanted;
        return {};
    });
}

std::string error_of(const DialogPtr& dialog, const char* field) {
    return dialog->field(field)->error;
}

}  // namespace

TEST_CASE("ui/dialog: sizes are numbers with binary units") {
    CHECK(parse_size("128 MiB") == 128 * MiB);
    CHECK(parse_size("1g") == 1024 * MiB);
    CHECK(parse_size("1.5 GiB") == 1536 * MiB);
    CHECK(parse_size(" 64 kb ") == 65536);
    CHECK(parse_size("4096") == 4096);
    CHECK(parse_size("2T") == 2ULL << 40);
    for (const char* bad :
         {"", "MiB", "-1 MiB", "1 XiB", "1 MiBs", "0", "1e9 GiB 7", "99999999999 TiB", "nan", "0x10"}) {
        CAPTURE(bad);
        CHECK_FALSE(parse_size(bad));
    }
}

TEST_CASE("ui/dialog: a new volume's size is checked by mkfs's own minimum") {
    DialogPtr form = volume_form();
    CHECK(form->button("create")->enabled);
    CHECK(form->field("size")->hint == "From 81 MiB on. Room is taken as files come.");
    CHECK(set_field(*form, "size", "80 MiB"));
    CHECK(error_of(form, "size") == "At least 81 MiB.");
    CHECK_FALSE(form->button("create")->enabled);
    CHECK(set_field(*form, "size", "81 MiB"));
    CHECK(error_of(form, "size").empty());
    CHECK(form->button("create")->enabled);
    CHECK(set_field(*form, "devices", "2"));  // raid1 then, which takes less on each
    CHECK(set_field(*form, "size", "44 MiB"));
    CHECK(error_of(form, "size") == "At least 45 MiB for each device.");
    CHECK(set_field(*form, "size", "much"));
    CHECK(error_of(form, "size") == "A number and a unit: 128 MiB, 4 GiB.");
}

TEST_CASE("ui/dialog: profiles that want more devices, and names, are refused where they stand") {
    DialogPtr form = volume_form();
    CHECK(set_field(*form, "metadata", "raid1c3"));
    CHECK(error_of(form, "metadata") == "raid1c3 needs 3 devices.");
    CHECK(error_of(form, "data").empty());
    CHECK_FALSE(form->button("create")->enabled);
    CHECK(set_field(*form, "devices", "3"));
    CHECK(error_of(form, "metadata").empty());
    CHECK(set_field(*form, "name", ""));
    CHECK(error_of(form, "name") == "It needs a name.");
    CHECK(set_field(*form, "name", std::string(256, 'x')));
    CHECK(error_of(form, "name") == "At most 255 bytes.");
    CHECK(set_field(*form, "name", "a\nb"));
    CHECK(form->error.find("line break in the label") != std::string::npos);
    CHECK_FALSE(form->button("create")->enabled);
    CHECK_FALSE(set_field(*form, "data", "raid7"));
    CHECK_FALSE(set_field(*form, "colour", "red"));
}

TEST_CASE("ui/dialog: what was chosen is what is made") {
    NewVolume made;
    DialogPtr form = volume_form(&made);
    for (auto [field, value] :
         {std::pair("name", "work"), std::pair("size", "1 GiB"), std::pair("devices", "2"),
          std::pair("metadata", "raid1"), std::pair("data", "raid0"), std::pair("node", "32 KiB"),
          std::pair("checksum", "blake2"), std::pair("compression", "zstd"), std::pair("keep", "in memory")})
        CHECK(set_field(*form, field, value));
    CHECK(press(form, "primary"));
    CHECK(form == nullptr);
    CHECK(made.name == "work");
    CHECK(made.device_bytes == 1024 * MiB);
    CHECK(made.devices == 2);
    CHECK(made.in_memory);
    CHECK(made.format.label == "work");
    CHECK(made.format.node_size == 32768);
    CHECK(made.format.checksum == "blake2");
    CHECK(made.format.metadata_profile == "raid1");
    CHECK(made.format.data_profile == "raid0");
    CHECK(made.format.compression == "zstd");
    const auto request = nlohmann::json::parse(create_request(made));
    CHECK(request["devices"] == std::vector<u64>{1024 * MiB, 1024 * MiB});
    CHECK(request["format"]["compression"] == "zstd");
    DialogPtr nowhere = volume_form(nullptr, false);
    CHECK(nowhere->field("keep") == nullptr);
    CHECK(nowhere->text.find("closing it loses it") != std::string::npos);
}

TEST_CASE("ui/dialog: it waits for its work, and says why it failed") {
    std::optional<std::string> outcome;
    Dialog d{"name", "A name"};
    d.buttons = {{"cancel", "Cancel"}, {"go", "Go", DialogButton::Role::Primary}, {"never", "Never"}};
    d.buttons[2].enabled = false;
    d.pressed = [&](Dialog&, const std::string& button) -> DialogAnswer {
        if (button == "cancel") return {};
        return {DialogAnswer::What::Wait, [&] { return outcome; }};
    };
    DialogPtr dialog = make_dialog(d);
    CHECK_FALSE(press(dialog, "never"));
    CHECK_FALSE(press(dialog, "nothing"));
    CHECK(press(dialog, "go"));
    CHECK(dialog->waiting());
    CHECK_FALSE(press(dialog, "cancel"));
    poll(dialog);
    CHECK(dialog->waiting());
    outcome = "no room";
    poll(dialog);
    REQUIRE(dialog);
    CHECK_FALSE(dialog->waiting());
    CHECK(dialog->error == "no room");
    CHECK(press(dialog, "go"));
    CHECK(dialog->error.empty());
    outcome = "";
    poll(dialog);
    CHECK(dialog == nullptr);
}

TEST_CASE("ui/kept: what a page keeps is read, and said in a line") {
    auto kept = parse_kept(R"({"volumes": [
        {"id": "a1", "name": "home", "size": 134217728, "stored": 12582912, "devices": 2, "store": "opfs",
         "opened": 1764579600000, "open": null},
        {"id": "b2", "name": "other", "size": 1073741824, "stored": 0, "devices": 1, "open": "elsewhere"}, 7],
        "storage": {"available": true, "usage": 14680064, "quota": 1073741824,
                    "persisted": false, "asked": true},
        "tasks": [{"id": 3, "title": "Copying", "done": 5, "of": 10}], "error": "too small"})");
    REQUIRE(kept);
    REQUIRE(kept->volumes.size() == 2);
    CHECK(kept->volumes[0].where == KeptVolume::Where::Closed);
    CHECK(kept_line(kept->volumes[0]) ==
          "12 MiB of 128 MiB \xc2\xb7 2 devices \xc2\xb7 opened 2025-12-01 09:00 UTC");
    CHECK(kept_line(kept->volumes[1]) == "0 B of 1 GiB \xc2\xb7 open in another tab");
    CHECK(storage_line(kept->storage) ==
          "14 MiB used of at most 1 GiB. The browser was asked to keep it and has not promised: it may clear "
          "it "
          "when room gets short.");
    CHECK(kept->tasks[0].id == 3);
    CHECK(kept->error == "too small");
    CHECK_FALSE(parse_kept("[]"));
    CHECK_FALSE(parse_kept("{"));
    auto odd = parse_kept(R"({"volumes": {"x": 1}, "storage": 5, "tasks": null})");
    REQUIRE(odd);
    CHECK(odd->volumes.empty());
    CHECK_FALSE(odd->storage.available);
}
