/** Relation of the page where a human decides, among the links of an approval. */
export const DECISION_LINK = 'decision';
