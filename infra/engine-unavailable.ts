/** Thrown by every port when its engine cannot answer now; the same call may work later. */
export abstract class EngineUnavailable extends Error {}
