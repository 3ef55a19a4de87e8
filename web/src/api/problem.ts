/** Everything that can go wrong, as one kind of value that the page has a state for. */

export const PROBLEM_CODES = [
  "empty", "too_long", "unknown_language", "bad_request", "not_found", "gone", "queue_full", "timeout", "unauthorized",
  "forbidden", "too_large", "model_unavailable", "server_gone", "stream_cut",
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export class Problem extends Error {
  constructor(
    readonly code: ProblemCode,
    readonly detail: string = "",
    /** Seconds after which the server asks to try again. */
    readonly retryAfter: number | null = null,
  ) {
    super(detail || code);
  }
}

const OF_STATUS: Readonly<Record<number, ProblemCode>> = {
  401: "unauthorized", 403: "forbidden", 404: "not_found", 408: "timeout", 410: "gone", 413: "too_large",
  429: "queue_full", 503: "model_unavailable", 504: "timeout",
};

function isCode(value: unknown): value is ProblemCode {
  return PROBLEM_CODES.some((code) => code === value);
}

/** The problem that a problem+json object describes. */
export function problemFrom(body: unknown, status: number, retryAfter: number | null = null): Problem {
  const fields = typeof body === "object" && body !== null ? (body as Record<string, unknown>) : {};
  const code = isCode(fields["code"]) ? fields["code"] : (OF_STATUS[status] ?? "bad_request");
  const detail = typeof fields["detail"] === "string" ? fields["detail"] : "";
  return new Problem(code, detail, retryAfter);
}

/** The problem of an answer that isn't a success. */
export async function problemOf(answer: Response): Promise<Problem> {
  const seconds = Number(answer.headers.get("Retry-After") ?? "");
  const body: unknown = await answer.json().catch(() => null);
  return problemFrom(body, answer.status, Number.isFinite(seconds) && seconds > 0 ? seconds : null);
}

/** Any error as a problem: what fetch throws where nobody answers is "server_gone". */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem("server_gone", error instanceof Error ? error.message : "");
}
