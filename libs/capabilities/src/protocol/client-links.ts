/** Links as a client that knows only the endpoint can follow them: paths become URLs where its URL is known. */
export function clientLinks(
  links: Readonly<Record<string, string>>,
  publicUrl: string | undefined,
): Readonly<Record<string, string>> {
  if (publicUrl === undefined) return links;
  return Object.fromEntries(
    Object.entries(links).map(([relation, link]) => [relation, new URL(link, publicUrl).href]),
  );
}
