# Sourced by the scripts: runs the stages of a job, times each, and reports the seconds at the end.
#
#   stage NAME command...        runs the command; returns its status
#   report_stages                prints one line per stage
#
# Also lets ccache see the same compilation in clones that lie in different folders.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

stage_names=()
stage_seconds=()
stage_results=()

stage() {
  local name=$1 start=$SECONDS status=0
  shift
  printf '\n==> %s\n' "$name" >&2
  "$@" || status=$?
  stage_names+=("$name")
  stage_seconds+=($((SECONDS - start)))
  if [[ $status -eq 0 ]]; then stage_results+=(ok); else stage_results+=("failed ($status)"); fi
  return "$status"
}

report_stages() {
  local total=0
  printf '\n%-32s %8s  %s\n' stage seconds result
  for i in "${!stage_names[@]}"; do
    printf '%-32s %8d  %s\n' "${stage_names[i]}" "${stage_seconds[i]}" "${stage_results[i]}"
    total=$((total + stage_seconds[i]))
  done
  printf '%-32s %8d\n' total "$total"
}
