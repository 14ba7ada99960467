# Sourced by the other scripts. Reads .env as Docker Compose does, as far as the scripts need.
# shellcheck shell=bash

# Prints the last value of a setting in .env, without quotes or comments. Prints nothing if the setting is missing or
# commented out.
read_setting() {
  sed -n "s/^[[:space:]]*$1=//p" .env | tail -n 1 |
    sed -e "s/^'\([^']*\)'.*/\1/;t" -e 's/^"\([^"]*\)".*/\1/;t' -e 's/^[[:space:]]*#.*//' \
      -e 's/[[:space:]]#.*//' -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//'
}

# Exits if .env has Windows line endings. Compose would include the carriage returns in the values.
refuse_carriage_returns() {
  if grep -q "$(printf '\r')" .env; then
    echo ".env has Windows line endings. To fix it: sed -i 's/\\r\$//' .env" >&2
    exit 1
  fi
}
