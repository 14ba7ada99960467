#!/usr/bin/env bash
# Checks the proxy's settings, derives the Caddyfile's variables from them, and starts Caddy. If only HTTPS can't start,
# Caddy still serves the site to this machine over plain HTTP.
#
#   --reload  lets the running Caddy load the current files and certificates. No connection is closed, and nothing
#             changes if one of the files is invalid.
#   --check   starts nothing, and fails if the proxy couldn't serve HTTPS.
set -uo pipefail

errors=() tls_errors=()
error() { errors+=("$1"); }
tls_error() { tls_errors+=("$1"); }

export PORT=${PORT:-3000} WEB_HOST=${WEB_HOST:-web} TLS=${TLS:-acme}
export PUBLIC_URL=${PUBLIC_URL:-http://localhost:$PORT}
export ACME_ACCOUNT= HSTS='max-age=63072000'
export XDG_DATA_HOME=${XDG_DATA_HOME:-/data} XDG_CONFIG_HOME=${XDG_CONFIG_HOME:-/config}
# The container always uses these defaults. Tests outside of it need other ports and folders.
export PROXY_HTTP_PORT=${PROXY_HTTP_PORT:-8080} PROXY_HTTPS_PORT=${PROXY_HTTPS_PORT:-8443}
export PROXY_PLAIN_PORT=${PROXY_PLAIN_PORT:-3000}
export PROXY_ADMIN=${PROXY_ADMIN:-/tmp/caddy-admin.sock}
export PROXY_CERTIFICATES=${PROXY_CERTIFICATES:-/certificates}

check_ports() {
  local name
  for name in PORT PROXY_HTTP_PORT PROXY_HTTPS_PORT PROXY_PLAIN_PORT; do
    [[ ${!name} =~ ^[1-9][0-9]{0,4}$ && ${!name} -le 65535 ]] ||
      error "$name must be a port number, but is '${!name}'."
  done
  [[ $WEB_HOST =~ ^[A-Za-z0-9._-]+$ ]] || error "WEB_HOST must be a host name, but is '$WEB_HOST'."
}

# Normalizes PUBLIC_URL to an origin as browsers write it, and exports its parts.
derive_site() {
  local host='[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]'
  PUBLIC_URL=${PUBLIC_URL,,}
  if [[ $PUBLIC_URL == *[![:ascii:]]* ]]; then
    error "PUBLIC_URL must have its host in punycode, as in https://xn--bcher-kva.example, \
but is '$PUBLIC_URL'."
    return
  fi
  if ! [[ $PUBLIC_URL =~ ^(https?)://($host)(:([1-9][0-9]{0,4}))?/?$ ]]; then
    error "PUBLIC_URL must be an origin like https://www.example.com, without a path, \
but is '$PUBLIC_URL'."
    return
  fi
  export SITE_SCHEME=${BASH_REMATCH[1]} SITE_HOST=${BASH_REMATCH[2]}
  local port=${BASH_REMATCH[5]}
  [[ $SITE_SCHEME:$port == http:80 || $SITE_SCHEME:$port == https:443 ]] && port=
  export SITE_ADDRESS=$SITE_HOST${port:+:$port}
  PUBLIC_URL=$SITE_SCHEME://$SITE_ADDRESS
  # The host served on the public plain-HTTP port. A site meant only for this machine is not served there, because other
  # machines can reach the port and send any Host header.
  export SERVED_BY_HTTP=$SITE_ADDRESS
  [[ $SITE_HOST =~ ^(localhost|127\.[0-9.]+|\[::1\])$ ]] && SERVED_BY_HTTP=nobody.invalid
  # TLS writes IPv6 addresses without brackets.
  local bare=${SITE_HOST#[}
  export SITE_NAME_IN_TLS=${bare%]}
}

# Exports the addresses that get certificates (the site's and its aliases'), and a pattern for the hosts to redirect.
derive_aliases() {
  local alias names=() pattern=
  IFS=', ' read -ra names <<<"${PUBLIC_ALIASES:-}"
  export SITE_ADDRESSES=https://${SITE_HOST:-} ALIASES='^nobody[.]invalid$'
  for alias in "${names[@],,}"; do
    if ! [[ $alias =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]]; then
      error "PUBLIC_ALIASES must be host names separated by commas, but '$alias' is not one."
    elif [[ ", $SITE_ADDRESSES," != *", https://$alias,"* ]]; then
      SITE_ADDRESSES+=", https://$alias"
      pattern+=${pattern:+|}${alias//./[.]}
    fi
  done
  [[ -z $pattern ]] || ALIASES="^(?i:$pattern)(:[0-9]+)?\$"
}

# The same pattern as in shared/node/config/proxy-settings.ts, which names its source.
NOT_PUBLIC='\.(alt|arpa|corp|example|home|internal|intranet|invalid|lan|local|localhost|mail|onion|private|test)$|^\[|^[0-9.]+$'

# Public authorities certify public names only. They refuse an account with the email address from .env.example.
check_acme() {
  local host
  for host in ${SITE_ADDRESSES//,/}; do
    host=${host#https://}
    [[ $host == *.* && ! $host =~ $NOT_PUBLIC ]] ||
      tls_error "TLS=acme can't get a certificate for '$host', because it is not a public name: \
set TLS=internal or TLS=files."
  done
  local email=${LEGAL_EMAIL:-}
  # Like the site, accept `The Site <site@example.com>`.
  [[ $email =~ ^[^\<\>]*\<([^\<\>]+)\>$ ]] && email=${BASH_REMATCH[1]}
  [[ -z $email || $email == *@example.com ]] && return
  if [[ $email =~ ^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+$ ]]; then
    ACME_ACCOUNT="email $email"
  else
    tls_error "LEGAL_EMAIL must be an e-mail address, but is '$email'."
  fi
}

# Builds the same header as the site (server/http/security-headers.ts).
check_hsts() {
  case ${HSTS_SUBDOMAINS:-false} in
    true) HSTS+='; includeSubDomains' ;;
    false) ;;
    *) error "HSTS_SUBDOMAINS must be true or false, but is '$HSTS_SUBDOMAINS'." ;;
  esac
}

check_pem() { # FILE KIND
  local path=$PROXY_CERTIFICATES/$1
  if [[ ! -e $path ]]; then
    tls_error "TLS=files needs $path, which is missing: put $1 into the folder certificates."
  elif [[ ! -r $path || -d $path ]]; then
    tls_error "TLS=files can't read $path as user $EUID: on the host, run \
chown $EUID:$EUID and chmod 0400 on $1."
  elif [[ $(<"$path") != *'-----BEGIN '*"$2-----"* ]]; then
    tls_error "$path must contain a $2 in PEM format."
  fi
}

check_files() {
  if [[ -d $PROXY_CERTIFICATES && ! -x $PROXY_CERTIFICATES ]]; then
    tls_error "TLS=files can't open $PROXY_CERTIFICATES as user $EUID: on the host, run \
chmod 0755 on the folder of certificates."
    return
  fi
  check_pem certificate.pem CERTIFICATE
  check_pem key.pem 'PRIVATE KEY'
}

check_tls() {
  if [[ ${SITE_SCHEME:-} == http ]]; then
    TLS=none
    return
  fi
  case $TLS in
    internal) ;;
    acme | files) [[ -z ${SITE_SCHEME:-} ]] || "check_$TLS" ;;
    *) tls_error "TLS must be acme, files or internal, but is '$TLS'." ;;
  esac
}

# Lets Caddy validate the files. It finds errors that the checks above miss, such as a key for a different certificate.
check_loading() {
  local output
  if [[ $TLS != files ]] || ((${#tls_errors[@]})); then return; fi
  output=$(caddy validate --adapter caddyfile --config "$config" 2>&1) && return
  tls_error "TLS=files can't be used: ${output##*Error: }."
}

check_ports
derive_site
derive_aliases
check_tls
check_hsts
outcome='The proxy did not start'
if [[ ${1:-} == --reload ]]; then
  outcome='The proxy continues as before'
  # TLS errors block the reload too, so that Caddy continues to serve HTTPS.
  errors+=("${tls_errors[@]}")
  tls_errors=()
fi
if ((${#errors[@]})); then
  printf "$outcome: %s\n" "${errors[@]}" "${tls_errors[@]}" >&2
  exit 1
fi

config=${BASH_SOURCE[0]%/*}/Caddyfile
if [[ ${1:-} == --reload ]]; then
  # --force, because Caddy compares only the Caddyfile and would miss a new certificate.
  exec caddy reload --adapter caddyfile --config "$config" --address "unix/$PROXY_ADMIN" --force
fi

check_loading
if ((${#tls_errors[@]})); then
  printf 'The proxy does not serve HTTPS: %s\n' "${tls_errors[@]}" >&2
  [[ ${1:-} != --check ]] || exit 1
  printf 'It still serves this machine on port %s. Correct the settings, then restart it or run deploy/apply-settings.sh.\n' "$PORT" >&2
  TLS=unavailable
fi

[[ ${1:-} != --check ]] || exit 0
# A killed Caddy leaves its socket behind.
rm -f "$PROXY_ADMIN"
exec caddy run --adapter caddyfile --config "$config"
