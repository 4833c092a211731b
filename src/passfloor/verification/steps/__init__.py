"""One module a step or pair of steps, in the order of the format specification.

==  ============================  ===================================================
 0  open, size cap, read once     ``verifier``, ``passfloor.receipts``
 1  strict I-JSON                 ``verifier``, ``passfloor.canonical``
 2  schema and version            ``schema``
 3  limits                        ``schema``
 4  receipt hash                  ``seal``
 5  key                           ``signature``
 6  signature                     ``signature``
 7  suite                         ``suite``
 8  coverage                      ``coverage``
 9  plan, stages, attempt ids     ``identity``
10  events, heads, blobs          ``evidence``
11  attempt hashes                ``evidence``
12  verdicts                      ``scorers``, ``verdicts``
13  coordination                  ``coordination``
14  figures                       ``figures``
15  session, clock, ledger        ``session``, ``history``
16  policy                        ``policy``
==  ============================  ===================================================

Each step takes what it judges and yields findings. None reads a file, a clock, a network or an environment.
"""
