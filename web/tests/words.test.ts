import { expect, it } from "vitest";
import en from "../src/i18n/en.json";
import ko from "../src/i18n/ko.json";
import { PROBLEM_CODES } from "../src/api/problem";
import { CHAPTERS } from "../src/state/chapters";

const names = (text: string): string[] => [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ""))].sort();

it("has the same keys in both languages, in the same order", () => {
  expect(Object.keys(ko)).toEqual(Object.keys(en));
});

it("says something everywhere", () => {
  expect([...Object.values(en), ...Object.values(ko)].every((text) => text.trim() !== "")).toBe(true);
});

it("names only values in Korean that English names too", () => {
  for (const [key, text] of Object.entries(ko)) {
    const known = names(en[key as keyof typeof en]);
    expect(names(text).filter((name) => !known.includes(name)), key).toEqual([]);
  }
});

it("has words for every problem and every chapter", () => {
  const keys = new Set(Object.keys(en));
  const needed = [
    ...PROBLEM_CODES.flatMap((code) => [`problem.${code}`, `problem.${code}.do`]),
    ...CHAPTERS.flatMap((_, n) => [`tour.${n}.title`, `tour.${n}.text`]),
  ];
  expect(needed.filter((key) => !keys.has(key))).toEqual([]);
});
