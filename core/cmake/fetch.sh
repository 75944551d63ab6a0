# SPDX-License-Identifier: MIT
#
# Sourced by the set-up scripts: fetch NAME puts the pinned file of pins.txt into .deps/download and prints
# its path.
#
# The mirror is the one that the machine's own apt uses. apt's helper downloads from it and checks the sum,
# so no package list is needed and nothing of the system changes. When the mirror has dropped a pinned
# binary (a point release came out), its successor is taken through a private apt state, which checks the
# archive's signature; a source or the compiler itself is never replaced so.

fetch_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
fetch_dir="$fetch_root/.deps/download"

die() { echo "glassfs set-up: $*" >&2; exit 1; }

# Root installs packages; others do with sudo, where they have it.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@" || die "needs root for: $*"; fi
}

# need PACKAGE...: installs those packages of the machine's own release that are missing.
need() {
    local package installed missing=()
    installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qx "$package installed" <<<"$installed" || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    echo "installing ${missing[*]}" >&2
    as_root apt-get -qq update >&2
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null </dev/null \
        || die "apt-get could not install ${missing[*]}"
}

# need_command COMMAND PACKAGE...: the same, for a command that may also come from elsewhere.
need_command() {
    local command=$1
    shift
    command -v "$command" >/dev/null 2>&1 || need "$@"
}

debian_mirror() {
    local uri
    uri=$(apt-get indextargets --format '$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null \
        | sed -n 's/^Debian|//p' | head -1)
    [ -n "$uri" ] || uri=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null \
        | grep -oE '(https?|file)://[^] ]*' | grep -v security | head -1)
    [ -n "$uri" ] || die "no Debian mirror in apt's sources"
    echo "${uri%/}"
}

# The current version of a binary package of trixie, checked by apt against the archive's signature.
fetch_successor() {
    local name=$1 state="$fetch_root/.deps/apt" mirror options
    mirror=$(debian_mirror)
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" \
        >"$state/sources.list"
    options=(-oDir::Etc::sourcelist="$state/sources.list" -oDir::Etc::sourceparts=/dev/null
        -oDir::State::Lists="$state/lists" -oDir::Cache="$state/cache" -oDir::State::status=/dev/null
        -oDir::Etc::preferencesparts=/dev/null -oAPT::Sandbox::User=root -oAcquire::Languages=none)
    apt-get -qq "${options[@]}" update >&2
    (cd "$fetch_dir" && apt-get -qq "${options[@]}" download "$name" >&2)
    find "$fetch_dir" -name "${name}_*.deb" -newer "$state/sources.list" | head -1
}

fetch() {
    local name=$1 sum where file
    read -r sum where < <(awk -v name="$name" '$2 == name { print $1, $3 }' "$fetch_root/core/cmake/pins.txt")
    [ -n "${where:-}" ] || die "$name isn't in pins.txt"
    file="$fetch_dir/$name-${where##*/}"
    mkdir -p "$fetch_dir"
    if [ -f "$file" ] && echo "$sum  $file" | sha256sum --status -c; then echo "$file"; return; fi
    rm -f "$file"
    if ! /usr/lib/apt/apt-helper -qq -oAPT::Sandbox::User=root \
        download-file "$(debian_mirror)/$where" "$file" "SHA256:$sum" >&2; then
        case $name in
            libc6 | libstdc++6 | libgcc-s1) ;;
            *) die "could not fetch $where from the Debian mirror" ;;
        esac
        echo "glassfs set-up: the mirror has replaced $where; taking its signed successor" >&2
        file=$(fetch_successor "$name")
        [ -s "$file" ] || die "could not fetch $name"
        echo "$file"
        return
    fi
    echo "$sum  $file" | sha256sum --status -c || die "$file has the wrong checksum"
    echo "$file"
}
