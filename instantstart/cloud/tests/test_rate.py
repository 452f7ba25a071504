"""The token bucket that processes share, with a clock that the test drives."""

from __future__ import annotations

from pathlib import Path

from instantstart.cloud.rate import SharedBucket, bucket_path


class Time:
    def __init__(self) -> None:
        self.now = 1000.0
        self.slept = 0.0

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds


def bucket(path: Path, time: Time, **options: float) -> SharedBucket:
    return SharedBucket(path / "bucket", options.pop("rate", 10.0), clock=time.clock, sleep=time.sleep, **options)


def test_a_patient_caller_gets_ten_a_second_after_the_burst(tmp_path: Path) -> None:
    time = Time()
    shared = bucket(tmp_path, time)
    for _ in range(10):
        assert shared.take() == 0.0
    for _ in range(50):
        shared.take()
    assert abs(time.slept - 5.0) < 0.1


def test_two_processes_share_one_bucket(tmp_path: Path) -> None:
    time = Time()
    one, other = bucket(tmp_path, time), bucket(tmp_path, time)
    for _ in range(5):
        one.take()
        other.take()
    assert time.slept == 0.0
    one.take()
    assert abs(time.slept - 0.1) < 0.001


def test_an_eager_caller_borrows_and_the_patient_pay(tmp_path: Path) -> None:
    time = Time()
    shared = bucket(tmp_path, time, burst=10.0, debt=20.0)
    assert [shared.take(eager=True) for _ in range(30)] == [0.0] * 30
    shared.take()
    assert abs(time.slept - 2.1) < 0.001


def test_an_eager_caller_never_waits_longer_than_a_moment(tmp_path: Path) -> None:
    time = Time()
    shared = bucket(tmp_path, time, burst=1.0, debt=0.0)
    shared.take(eager=True)
    assert shared.take(eager=True) == SharedBucket.LONGEST_EAGER_WAIT


def test_a_bucket_of_before_the_machine_was_started_is_full(tmp_path: Path) -> None:
    time = Time()
    for _ in range(10):
        bucket(tmp_path, time).take()
    time.now = 5.0
    assert bucket(tmp_path, time).take() == 0.0


def test_a_damaged_file_is_a_full_bucket(tmp_path: Path) -> None:
    (tmp_path / "bucket").write_bytes(b"half")
    assert bucket(tmp_path, Time()).take() == 0.0


def test_the_file_names_account_region_and_service_and_nothing_else(tmp_path: Path) -> None:
    assert bucket_path(tmp_path, "1/2", "us-west-2", "eks").name == "1_2.us-west-2.eks"
