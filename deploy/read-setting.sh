# Sourced by the scripts: reads .env as Docker Compose does, as far as they need it.
# shellcheck shell=bash

# What .env says of a setting, the last time it does, without quotes and comments; nothing if it is
# commented out.
read_setting() {
  sed -n "s/^[[:space:]]*$1=//p" .env | tail -n 1 |
    sed -e "s/^'\([^']*\)'.*/\1/;t" -e 's/^"\([^"]*\)".*/\1/;t' -e 's/^[[:space:]]*#.*//' \
      -e 's/[[:space:]]#.*//' -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//'
}

# Compose would take the ends of Windows' lines for part of the values.
refuse_carriage_returns() {
  if grep -q "$(printf '\r')" .env; then
    echo ".env has the line ends of Windows; fix it with: sed -i 's/\\r\$//' .env" >&2
    exit 1
  fi
}
