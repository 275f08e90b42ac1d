const LONGEST = 200;

/** The name asked for below the capabilities' path, for the audit: decoded, at most 200 characters. */
export function unknownName(target: string, restPath: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  const marker = `/${restPath}/`.toLowerCase();
  const start = path.toLowerCase().indexOf(marker);
  const name = start === -1 ? path : path.slice(start + marker.length);
  return decoded(name.replace(/\/$/, '')).slice(0, LONGEST);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
