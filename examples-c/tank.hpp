// The parts of a flow solver, for 23_flow.cpp: places of rocks and walls, a force law, and the forces of the liquid.
#ifndef TANK_HPP
#define TANK_HPP

#include <dem_heap.h>
#include <dem_world.h>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

// A stiff contact that loses energy, and Coulomb friction.
static dem_interaction dashpot_and_friction() {
    dem_interaction law = dem_interaction_default(DEM_NORMAL_PRESSURE, 1e4);
    law.damped = DEM_DAMPING_DASHPOT;
    law.damping = 0.5;
    law.friction = 0.4;
    return law;
}

// The ground and four walls, which are shape 0, and rocks in layers above the ground, which are shape 1.
static std::vector<dem_member> tank(size_t rocks, const dem_mass &mass) {
    const double pitch = 1.3, half = std::sqrt(0.5);
    const size_t row = std::max<size_t>(3, size_t(std::ceil(std::cbrt(double(rocks)))));
    const double width = pitch * double(row);
    const dem_pose walls[5] = {{{0, 0, 0}, {0, 0, 0, 1}},
                               {{0, 0, 0}, {0, half, 0, half}},
                               {{width, 0, 0}, {0, -half, 0, half}},
                               {{0, 0, 0}, {-half, 0, 0, half}},
                               {{0, width, 0}, {half, 0, 0, half}}};
    std::vector<dem_member> all;
    dem_member member = dem_member_default(); // at rest
    for (const dem_pose &wall : walls) {
        std::memcpy(member.body.position, wall.position, sizeof wall.position);
        std::memcpy(member.body.orientation, wall.orientation, sizeof wall.orientation);
        all.push_back(member);
    }
    member.shape = 1;
    for (size_t i = 0; i < rocks; i++) {
        const double at[3] = {double(i % row) + 0.5, double(i / row % row) + 0.5, double(i / row / row) + 0.55};
        const dem_pose pose = {{pitch * at[0], pitch * at[1], pitch * at[2]},
                               {0, 0, std::sin(double(i)), std::cos(double(i))}};
        dem_error error;
        dem_must(dem_body_of_mass(&member.body, &mass, &pose, &error), &error);
        all.push_back(member);
    }
    return all;
}

// The forces of the flow on rocks: weight less lift, and drag at the end of the window. Returns the largest change.
static double flow(std::vector<double> &forces, const std::vector<double> &velocities, double weight, double drag) {
    double change = 0;
    for (size_t i = 15; i < forces.size(); i++) {
        const double force = (i % 3 == 2 ? -weight : 0) - drag * velocities[i];
        change = std::fmax(change, std::fabs(force - forces[i]));
        forces[i] = force;
    }
    return change;
}

// Prints results; returns whether no halo was crossed.
static bool report(const dem_block &world, double rounds, double halo) {
    dem_world_report report;
    dem_error error;
    dem_must(dem_world_measure(&report, sizeof report, dem_world_in(&world), nullptr, &error), &error);
    std::printf("%.1f rounds a window: %d contacts, ", rounds, int(report.contacts));
    std::printf("kinetic energy %.1e, least gap %.3f of the halos\n", report.translation + report.rotation,
                report.least_gap / (2 * halo));
    return report.least_gap >= 0;
}

#endif
