"""Addresses of pods."""

from __future__ import annotations

import pytest

from sandbox.kube.kubelet.addresses import Addresses, AddressesExhausted


def test_pods_get_addresses_after_the_ones_that_are_aws_own() -> None:
    addresses = Addresses()
    assert [addresses.take("10.0.0.0/24") for _ in range(2)] == ["10.0.0.4", "10.0.0.5"]


def test_an_address_in_use_is_passed_over() -> None:
    addresses = Addresses()
    addresses.claim("10.0.0.0/24", "10.0.0.4")
    assert addresses.take("10.0.0.0/24") == "10.0.0.5"


def test_a_subnet_of_sixteen_has_eleven_addresses_and_then_says_that_it_is_full() -> None:
    addresses = Addresses()
    taken = {addresses.take("10.0.0.0/28") for _ in range(11)}
    assert len(taken) == 11
    assert "10.0.0.15" not in taken
    with pytest.raises(AddressesExhausted, match=r"no address is left in subnet 10\.0\.0\.0/28"):
        addresses.take("10.0.0.0/28")
    addresses.give_back("10.0.0.0/28", "10.0.0.7")
    assert addresses.take("10.0.0.0/28") == "10.0.0.7"


def test_an_address_of_another_subnet_is_not_ours_to_note() -> None:
    addresses = Addresses()
    addresses.claim("10.0.0.0/28", "192.168.0.4")
    addresses.give_back("10.0.0.0/28", "192.168.0.4")
    assert addresses.take("10.0.0.0/28") == "10.0.0.4"
